import { Logger } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import type { App } from '../app/app.js';
import type { HoldableActivity } from './channel-events.js';
import { DelayQueue } from './delay-queue.js';

interface Held {
  readonly app: App;
  readonly event: HoldableActivity;
  readonly isStillSo: () => Awaitable<boolean>;
}

/** How many events are held; beyond it, the first are sent early. */
const limit = 100_000;

/**
 * Delays channel_vacated and member_removed. When the channel is occupied or the member added again within that time,
 * by any process, neither change is sent: the connection was only replaced (channels-wire §7). Order is kept.
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

  /** Sends the event later, if it still applies then. */
  add(held: Held): void {
    this.held.add(String(++this.count), held);
  }

  /** Sends what is held, and stops holding. */
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

  /** Sent anyway: it applied when it was added. */
  private failed(app: App, event: HoldableActivity, error: unknown): void {
    this.logger.error(`Cannot check whether ${event.name} of app ${app.id} still applies: ${String(error)}`);
    this.tell(app, event);
  }
}
