import { Injectable } from '@nestjs/common';
import { DeadLettersService, WebhookSender } from '#webhooks';
import { JobStore } from 'rookery/jobs';
import { ChannelsSettings } from '../channels.options.js';
import { tryTimes } from './try-times.js';

/** The dead webhooks of an app, by the app's id. */
@Injectable()
export class ChannelsDeadLetters extends DeadLettersService {
  constructor(jobs: JobStore, sender: WebhookSender, { webhooks }: ChannelsSettings) {
    super(jobs, sender, (now) => tryTimes(webhooks, now));
  }
}
