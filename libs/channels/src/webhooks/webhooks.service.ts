import { Injectable } from '@nestjs/common';
import type { App } from '../access/app.js';
import type { WebhookEvent } from './channel-events.js';

/** Takes what happens on channels to the webhooks of their apps. */
@Injectable()
export class WebhooksService {
  /** Never throws and never waits. */
  emit(_app: App, _event: WebhookEvent): void {}
}
