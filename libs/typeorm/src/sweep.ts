import { Logger } from '@nestjs/common';

const everyMs = 1000;

/** Deletes what is no longer needed, in small steps in the background. */
export class Sweep {
  private readonly logger = new Logger('Storage');
  private readonly timer = setInterval(() => this.wake(), everyMs).unref();
  private running: Promise<void> | undefined;
  private isOver = false;

  /** @param step answers whether there is more to delete */
  constructor(
    private readonly what: string,
    private readonly step: () => Promise<boolean>,
  ) {}

  wake(): void {
    if (this.isOver) return;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  /** Resolves when the step in progress is done. */
  async end(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (!this.isOver && (await this.step()));
    } catch (error) {
      this.logger.warn(`Expired ${this.what} were not deleted: ${String(error)}`);
    }
  }
}
