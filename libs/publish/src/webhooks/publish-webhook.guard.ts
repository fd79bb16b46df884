import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { isObject, sameSecret } from '#common';
import { ApiError, keepWebhook, messageOf, type PlatformRequest, rawBodyOf, webhookIn } from '#http';
import { type InstanceEvent, signatureOf } from './instance-event.js';

/** The body of an instance's webhook. A `switch` over `type`, its `metadata.event_type`, narrows `payload`. */
export type PublishWebhook = InstanceEvent & {
  readonly metadata: {
    readonly created_at: string;
    readonly event_type: InstanceEvent['type'];
    /** The same in each try. */
    readonly event_id: string;
    readonly product: 'beams';
  };
  readonly custom_data: Readonly<Record<string, unknown>>;
};

/**
 * Accepts an instance's webhooks that are signed with its secret, or with one of several (beams-wire §7.1):
 * `@UseGuards(new PublishWebhookGuard(secret))`. The method gets the webhook as
 * `@CurrentWebhook() webhook: PublishWebhook`. The signature covers the raw body, so the host must keep it:
 * `{ rawBody: true }`.
 */
export class PublishWebhookGuard implements CanActivate {
  private readonly secrets: readonly string[];

  constructor(secrets: string | readonly string[]) {
    this.secrets = [secrets].flat();
  }

  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const given = messageOf(request).headers['webhook-signature'];
    const body = rawBodyOf(request);
    if (typeof given !== 'string' || !this.secrets.some((secret) => sameSecret(given, signatureOf(body, secret))))
      throw unauthorized().in(context);
    const webhook = webhookIn(body);
    if (!webhook || !isObject(webhook['metadata'])) throw notWebhook().in(context);
    // The header `Webhook-Event-Type` is not signed, but the body is.
    keepWebhook(request, { ...webhook, type: webhook['metadata']['event_type'] });
    return true;
  }
}

const unauthorized = () =>
  new ApiError('unauthorized', 401, 'Unauthorized', 'Webhook-Signature is not that of the body');
const notWebhook = () => new ApiError('bad_request', 400, 'Bad request', 'Not a webhook');
