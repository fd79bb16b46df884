import { Injectable } from '@nestjs/common';
import { DeadLettersService, WebhookSender } from 'rookery/common';
import { JobStore } from 'rookery/jobs';
import { ChannelsSettings } from '../channels.options.js';
import { retryDelays } from './retry-delays.js';

/** The dead webhooks of an app, by the app's id. */
@Injectable()
export class ChannelsDeadLetters extends DeadLettersService {
  constructor(jobs: JobStore, sender: WebhookSender, { webhooks: { retryMs, timeoutMs } }: ChannelsSettings) {
    super(jobs, sender, (now) => ({
      dueAt: now,
      retryDelaysMs: retryDelays(retryMs - timeoutMs),
      expiresAt: now + Math.max(retryMs, timeoutMs),
    }));
  }
}
