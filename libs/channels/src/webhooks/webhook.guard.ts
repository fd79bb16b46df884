import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Awaitable, type Found, hmacHex, sameSecret } from '#common';
import { keepWebhook, messageOf, type PlatformRequest, rawBodyOf, webhookIn } from '#http';
import { Apps } from '../access/apps.js';
import { badRequest, unauthorized } from '../channels.errors.js';
import { type Credentials, type KeyPair, secretsOf } from '../protocol/credentials.js';
import type { WebhookEvent } from './channel-events.js';

/** The body of a webhook, and the key whose secret signed it. */
export interface ChannelsWebhook {
  readonly key: string;
  readonly time_ms: number;
  readonly events: readonly WebhookEvent[];
}

/** Finds an app by its key, as `Apps` and each `AppRepository` do. */
export interface AppsByKey {
  findByKey(key: string): Awaitable<Found<Credentials>>;
}

/**
 * Accepts webhooks that are signed with an app's secret (channels-wire §7). The method gets the webhook as
 * `@CurrentWebhook() webhook: ChannelsWebhook`. `@UseGuards(WebhookGuard)` uses the apps of ChannelsModule; an
 * application without that module passes them: `@UseGuards(new WebhookGuard({ key, secret }))`. The signature covers
 * the raw body, so the host must keep its bytes: `{ rawBody: true }`.
 */
@Injectable()
export class WebhookGuard implements CanActivate {
  constructor(@Inject(Apps) private readonly apps: KeyPair | readonly KeyPair[] | AppsByKey) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const { 'x-pusher-key': key, 'x-pusher-signature': signature } = messageOf(request).headers;
    const body = rawBodyOf(request);
    const secrets = typeof key === 'string' ? await this.secretsOf(key) : [];
    if (typeof signature !== 'string' || !secrets.some((secret) => sameSecret(signature, hmacHex(secret, body))))
      throw unauthorized('Not signed with the secret of a known X-Pusher-Key').in(context);
    const webhook = webhookIn(body);
    if (!webhook || !Array.isArray(webhook['events'])) throw badRequest('Not a webhook').in(context);
    keepWebhook(request, { ...webhook, key });
    return true;
  }

  private async secretsOf(key: string): Promise<readonly string[]> {
    if ('findByKey' in this.apps) {
      const app = await this.apps.findByKey(key);
      return app ? secretsOf(app, key) : [];
    }
    const pairs = [this.apps].flat().filter((pair) => pair.key === key);
    return pairs.map(({ secret }) => secret);
  }
}
