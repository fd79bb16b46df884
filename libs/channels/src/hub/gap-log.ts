import type { Logger } from '@nestjs/common';
import { counted } from '#http';

/** After a reconnect, lost channels are reported in many steps, mostly within this time of each other. */
const togetherMs = 100;

/** Logs in one line how many channels may have lost messages. */
export class GapLog {
  private channels = 0;

  constructor(private readonly logger: Logger) {}

  add(channels: number): void {
    if (this.channels === 0) setTimeout(() => this.say(), togetherMs).unref();
    this.channels += channels;
  }

  private say(): void {
    const channels = counted(this.channels, 'channel');
    this.channels = 0;
    this.logger.warn(`Messages of ${channels} may have been lost on their way to this process`);
  }
}
