import { Logger } from '@nestjs/common';
import { Unavailable } from 'rookery/internal/common';

/** Removes the entries of a dead worker. */
export interface Survivor {
  /** @throws Unavailable when it has not done so, because it is gone or stuck */
  takeOut(nodeId: string): Promise<void>;
}

/** The pause before another survivor is asked: one that is gone fails at once, and its end must be able to arrive. */
const pauseMs = 100;

/** Has one survivor remove the entries of each dead worker; without a survivor, waits for the next worker. */
export class DeadWorkers {
  private readonly logger = new Logger('Workers');
  private readonly waiting: string[] = [];
  private isBusy = false;

  constructor(private readonly survivors: ReadonlySet<Survivor>) {}

  async add(nodeId: string): Promise<void> {
    this.waiting.push(nodeId);
    await this.takeOut();
  }

  /** Called again when there is a survivor. */
  async takeOut(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    for (let failures = 0; ;) {
      const [nodeId] = this.waiting;
      // After a failure another survivor is asked, in case the first is stuck.
      const survivor = [...this.survivors][failures % this.survivors.size];
      if (nodeId === undefined || !survivor) break;
      const isDone = await this.isTakenOut(nodeId, survivor);
      if (isDone) this.waiting.shift();
      else {
        failures++;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    this.isBusy = false;
  }

  private async isTakenOut(nodeId: string, survivor: Survivor): Promise<boolean> {
    try {
      await survivor.takeOut(nodeId);
      return true;
    } catch (error) {
      if (error instanceof Unavailable) return false;
      this.logger.error(`The entries of a dead worker were not removed: ${String(error)}`);
      return true;
    }
  }
}
