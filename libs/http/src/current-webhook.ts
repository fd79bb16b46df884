import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isObject } from '#common';
import type { PlatformRequest } from './raw-body.js';

const webhook = Symbol('rookery.webhook');

type WithWebhook = PlatformRequest & { [webhook]?: object };

/** The JSON object in a signed body; `undefined` for other texts, because an app's secret also signs tokens. */
export function webhookIn(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a webhook that a guard has verified, for {@link CurrentWebhook}. */
export function keepWebhook(request: PlatformRequest, verified: object): void {
  (request as WithWebhook)[webhook] = verified;
}

/** The webhook that `WebhookGuard` of `rookery/channels` or `PublishWebhookGuard` of `rookery/publish` has verified. */
export const CurrentWebhook = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const verified = context.switchToHttp().getRequest<WithWebhook>()[webhook];
  if (!verified) throw new Error('@CurrentWebhook() needs @UseGuards(new WebhookGuard({ key, secret }))');
  return verified;
});
