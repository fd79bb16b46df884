import type { Logger } from '@nestjs/common';
import { counted } from 'rookery/common';

/** What a reconnect lost comes to light in many steps, within this of each other mostly. */
const togetherMs = 100;

/** Says in one line of how many channels messages may have been lost. */
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
