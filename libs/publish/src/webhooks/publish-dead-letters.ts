import { Injectable } from '@nestjs/common';
import { DeadLettersService, WebhookSender } from '#webhooks';
import { JobStore } from 'rookery/jobs';
import { tryTimes } from './try-times.js';

/** The given-up webhooks of an instance, by the instance's id. */
@Injectable()
export class PublishDeadLetters extends DeadLettersService {
  constructor(jobs: JobStore, sender: WebhookSender) {
    super(jobs, sender, tryTimes);
  }
}
