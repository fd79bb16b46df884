import { Injectable } from '@nestjs/common';
import { DeadLettersService, WebhookOutbox, WebhookSender } from 'rookery/common';
import { tryTimes } from './try-times.js';

/** The given-up webhooks of an instance, by the instance's id. */
@Injectable()
export class PublishDeadLetters extends DeadLettersService {
  constructor(outbox: WebhookOutbox, sender: WebhookSender) {
    super(outbox, sender, (now) => {
      const { retryDelaysMs, expiresAt } = tryTimes(now);
      return { dueAt: now, retryDelaysMs, expiresAt };
    });
  }
}
