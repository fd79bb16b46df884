import { Logger } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { App } from '../app/app.js';
import type { HoldableActivity } from './channel-events.js';
import { DelayQueue } from './delay-queue.js';

/** What the storage knows of a disappearance that this process announces. */
export interface Disappearance {
  /** Of the change; the storage may answer it again, to a call that is repeated. */
  readonly version: number;
  /** Whether it is unconfirmed, and this process has to announce it. */
  readonly isHeld: () => Awaitable<boolean>;
  /** Confirms it; false if what had disappeared has returned. From then on, a return is announced. */
  readonly confirm: () => Awaitable<boolean>;
  /** Whether it is there now. */
  readonly isBack: () => Awaitable<boolean>;
}

interface HeldDisappearance extends Disappearance {
  readonly app: App;
  readonly event: HoldableActivity;
  /** When it was sent, or not to be sent, by performance.now(): it is held until it is confirmed. */
  readonly settledAt?: number;
}

/** How many events are held; beyond it, the first are sent early. */
const limit = 100_000;
/** How long an event may take to be stored before it is confirmed anyway: storage may forget it after a minute. */
const storedMs = 20_000;
/** For how long storage knows what is unconfirmed. */
const unconfirmedMs = 60_000;

/**
 * Delays channel_vacated and member_removed. When the channel is occupied or the member added again within that time,
 * by any process, neither change is sent: the connection was only replaced (channels-wire §7). Order is kept.
 *
 * An event is stored before it is confirmed, because another process may announce a return at once after that. A return
 * in between is not announced by the process that it happened in, but here.
 */
export class HeldEvents {
  private readonly logger = new Logger('Webhooks');
  private readonly held: DelayQueue<HeldDisappearance>;
  private readonly asking = new Set<Promise<void>>();
  private isClosed = false;
  /** What ends each wait for storage: a promise of the close, raced against each event, would remember all of them. */
  private readonly waits = new Set<() => void>();

  constructor(
    holdMs: number,
    /** Resolves when the event is stored. */
    private readonly send: (app: App, event: HoldableActivity) => Promise<void>,
    private readonly sendReturn: (app: App, event: HoldableActivity) => void,
  ) {
    this.held = new DelayQueue(holdMs, limit, (held) => this.track(this.settle(held)));
  }

  /** Sends the event later, if it still applies then; once for each version. */
  add(held: HeldDisappearance): void {
    const { app, event, version } = held;
    // A change that storage answers again comes without the connection that caused it.
    const key = JSON.stringify([app.id, { ...event, socket_id: undefined }, version]);
    if (!this.held.get(key)) this.held.add(key, held);
  }

  /** Confirms the disappearance without an event, because what has disappeared was never announced. */
  drop(held: HeldDisappearance): void {
    this.track(this.confirmSettled(held));
  }

  /** Sends what is held, and stops holding. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const end of this.waits) end();
    this.held.close();
    await Promise.all(this.asking);
  }

  private track(asked: Promise<void>): void {
    const tracked = asked.finally(() => this.asking.delete(tracked));
    this.asking.add(tracked);
  }

  private async settle(held: HeldDisappearance): Promise<void> {
    if (held.settledAt === undefined) {
      const { app, event } = held;
      try {
        if (!(await held.isHeld())) return;
      } catch (error) {
        // Sent anyway: it applied when it was added.
        this.failed(app, event, error);
      }
      await this.stored(this.send(app, event));
    }
    await this.confirmSettled(held);
  }

  private async confirmSettled(held: HeldDisappearance): Promise<void> {
    try {
      await this.confirm(held);
    } catch (error) {
      const { settledAt = performance.now() } = held;
      if (held.settledAt === undefined) this.failed(held.app, held.event, error);
      // Unconfirmed, its return would not be announced.
      if (!this.isClosed && performance.now() - settledAt < unconfirmedMs) this.add({ ...held, settledAt });
    }
  }

  private async confirm({ app, event, confirm, isBack }: HeldDisappearance): Promise<void> {
    if (!(await confirm()) && (await isBack())) this.sendReturn(app, event);
  }

  private async stored(sent: Promise<void>): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), storedMs).unref();
      const end = (): void => {
        clearTimeout(timer);
        this.waits.delete(end);
        resolve();
      };
      this.waits.add(end);
      void sent.finally(end);
    });
  }

  private failed({ id }: App, { name }: HoldableActivity, error: unknown): void {
    this.logger.error(`Cannot check whether ${name} of app ${id} still applies: ${String(error)}`);
  }
}
