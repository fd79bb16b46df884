import type { JobLease } from 'rookery/jobs';
import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault, type PreparedNotification } from '../delivery/push.gateway.js';
import type { CircuitBreaker } from './circuit-breaker.js';
import { LeaseLost } from './lease-lost.js';
import { PageOutcome } from './page-outcome.js';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';

/** The parts that the sends of a page share with others of their platform. */
export interface SendingTerms {
  readonly slots: ConcurrencyLimiter;
  readonly breaker: CircuitBreaker;
  readonly lease: JobLease;
  /** The page's concurrent sends. */
  readonly concurrency: number;
}

/**
 * The sends to the devices of one page. Once a platform fault is confirmed, it defers the remaining devices; once the
 * lease is lost, it leaves them to the next owner.
 */
export class Sending {
  /** Resolves when every device is done; never rejects. */
  readonly done: Promise<void>;
  private readonly underWay = new Set<DeviceAddress>();
  private readonly rest: Iterator<DeviceAddress>;
  private outcome = new PageOutcome();
  private isStopped = false;
  private isAbandoned = false;
  private begun = 0;

  constructor(
    private readonly devices: readonly DeviceAddress[],
    private readonly prepared: PreparedNotification,
    private readonly terms: SendingTerms,
  ) {
    this.rest = devices.values();
    const senders = Array.from({ length: Math.min(terms.concurrency, devices.length) }, () => this.sendNext());
    this.done = Promise.all(senders).then(() => undefined);
  }

  /** Devices whose gateway has not answered yet. */
  get late(): readonly DeviceAddress[] {
    return [...this.underWay];
  }

  /** The outcomes since the last call. */
  take(): PageOutcome {
    const taken = this.outcome;
    this.outcome = new PageOutcome();
    return taken;
  }

  /**
   * Waits for all devices, but not much longer than `patienceMs` for the last `most` of them. Throws LeaseLost if some
   * devices were skipped, because such a page must not be saved.
   */
  async settled(patienceMs: number, most: number): Promise<void> {
    do await within(this.done, patienceMs);
    while (!this.haveAllBegun() || this.underWay.size > most);
    if (this.isAbandoned) throw new LeaseLost('The lease ran out while a page was sent');
  }

  private async sendNext(): Promise<void> {
    const { slots } = this.terms;
    for (let next = this.rest.next(); !next.done; next = this.rest.next()) {
      const turn = slots.take();
      if (turn) await turn;
      if (!this.isStopped && !this.terms.lease.isHeld) await this.holdAgain();
      // Only now: a page is saved once all its devices have begun, and the store may take long to renew the lease.
      this.begun += 1;
      if (this.isStopped) this.outcome.stopped(next.value);
      else if (!this.isAbandoned) await this.send(next.value);
      slots.give();
    }
  }

  /** The process may have been suspended for long, and another may have continued the publish. */
  private async holdAgain(): Promise<void> {
    const { lease } = this.terms;
    try {
      while (!this.isAbandoned && !lease.isHeld) this.isAbandoned = !(await lease.renew());
    } catch {
      this.isAbandoned = true;
    }
  }

  private haveAllBegun(): boolean {
    return this.begun === this.devices.length;
  }

  private async send(device: DeviceAddress): Promise<void> {
    const { breaker } = this.terms;
    this.underWay.add(device);
    try {
      const outcome = await this.prepared.send(device);
      breaker.judged();
      this.outcome.settle(device, outcome);
    } catch (error) {
      this.outcome.thrown(device, error);
      if (error instanceof PlatformFault) {
        breaker.refused(error.message);
        this.isStopped = breaker.fault !== undefined;
      }
    }
    this.underWay.delete(device);
  }
}

/** Waits for `done`, at most `milliseconds`. */
async function within(done: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([done, over]);
  clearTimeout(timer);
}
