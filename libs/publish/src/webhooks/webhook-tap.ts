import { Injectable } from '@nestjs/common';
import type { ObservedWebhook } from '#webhooks';

/** An attempt to deliver a webhook of an instance. */
export interface ObservedInstanceWebhook {
  readonly instanceId: string;
  readonly body: string;
  readonly webhook: ObservedWebhook;
}

/** Reports this process's attempts to one observer, which must not throw or block. */
@Injectable()
export class PublishWebhookTap {
  observer: ((observed: ObservedInstanceWebhook) => void) | undefined;
}
