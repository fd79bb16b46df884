import { Logger } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import type { App } from '../access/app.js';
import type { HoldableActivity } from './channel-events.js';
import { DelayQueue } from './delay-queue.js';

interface Held {
  readonly app: App;
  readonly event: HoldableActivity;
  readonly isStillSo: () => Awaitable<boolean>;
}

/** Events held at once; beyond it, the first are told early. */
const limit = 100_000;

/**
 * Holds back that a channel was vacated or a member removed. When it is occupied or added again in that time, by whatever
 * process, neither is told: the connection was only replaced (channels-wire §7). They are told in the order they came.
 */
export class HeldEvents {
  private readonly logger = new Logger('Webhooks');
  private readonly held: DelayQueue<Held>;
  private readonly asking = new Set<Promise<void>>();
  private count = 0;

  constructor(
    holdMs: number,
    private readonly tell: (app: App, event: HoldableActivity) => void,
  ) {
    this.held = new DelayQueue(holdMs, limit, (held) => this.fallDue(held));
  }

  /** Tells the event later if it is still so then. */
  add(held: Held): void {
    this.held.add(String(++this.count), held);
  }

  /** Tells what is held, and holds nothing any more. */
  async close(): Promise<void> {
    this.held.close();
    await Promise.all(this.asking);
  }

  private fallDue({ app, event, isStillSo }: Held): void {
    try {
      const answer = isStillSo();
      if (!(answer instanceof Promise)) return answer ? this.tell(app, event) : undefined;
      const asked = answer.then(
        (isSo) => (isSo ? this.tell(app, event) : undefined),
        (error: unknown) => this.failed(app, event, error),
      );
      this.asking.add(asked);
      void asked.finally(() => this.asking.delete(asked));
    } catch (error) {
      this.failed(app, event, error);
    }
  }

  /** Told all the same: it was so when it came. */
  private failed(app: App, event: HoldableActivity, error: unknown): void {
    this.logger.error(`Whether ${event.name} of app ${app.id} is still so is not known: ${String(error)}`);
    this.tell(app, event);
  }
}
