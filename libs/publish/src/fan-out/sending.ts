import { type OwnerSlots, settledIn } from '#common';
import type { JobLease } from 'rookery/internal/jobs';
import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault, type PreparedNotification } from '../delivery/push.gateway.js';
import { LeaseLost } from './claimed-publish.js';
import { believedAnswers } from './circuit-breaker.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import { PageOutcome } from './page-outcome.js';

/** How long a page waits for a gateway that has answered no other, in milliseconds. */
const stalledMs = 50;

/** A gateway hangs if fewer than one in this many sends end while a page waits. */
const leastShareEnded = 20;

/** The parts that the sends of a page share with others of their platform. */
export interface SendingTerms {
  readonly slots: OwnerSlots;
  readonly breakers: CircuitBreakers;
  readonly lease: JobLease;
  /** The page's concurrent sends. */
  readonly concurrency: number;
  /** Whether all sends are doubtful: a fault is known, but not whether it is of an app. */
  readonly isAtFault: boolean;
  /** Whether the process stops and its pages have had their time. */
  readonly isCutShort: () => boolean;
}

/**
 * The sends to the devices of one page. Once a platform fault is confirmed, it defers the remaining devices of the
 * platform, or of the app; once the lease is lost, it leaves them to the next owner. Of devices whose platform or app is
 * at fault, it sends only to as many at a time as it takes to find out whether the fault persists. A process that stops
 * skips the rest.
 */
export class Sending {
  /** Resolves when every device is done; never rejects. */
  readonly done: Promise<void>;
  /** Devices that nothing was sent to, because the process stops: another one continues with them. */
  readonly skipped: DeviceAddress[] = [];
  private readonly underWay = new Set<DeviceAddress>();
  private outcome = new PageOutcome();
  /** The apps with a confirmed fault; `undefined` stands for the platform. */
  private readonly stopped = new Set<string | undefined>();
  private isAbandoned = false;
  private begun = 0;

  constructor(
    private readonly devices: readonly DeviceAddress[],
    private readonly prepared: PreparedNotification,
    private readonly terms: SendingTerms,
  ) {
    const doubtful = this.doubtful();
    const others = doubtful.size === 0 ? devices : devices.filter((device) => !doubtful.has(device));
    const senders = [...this.senders(others, terms.concurrency), ...this.senders([...doubtful], believedAnswers)];
    this.done = Promise.all(senders).then(() => undefined);
  }

  /** Devices whose gateway has not answered yet. */
  get late(): readonly DeviceAddress[] {
    return [...this.underWay];
  }

  /** Whether it waits for nothing but the gateway. */
  get haveAllBegun(): boolean {
    return this.begun === this.devices.length;
  }

  /** The outcomes since the last call. */
  take(): PageOutcome {
    const taken = this.outcome;
    this.outcome = new PageOutcome();
    return taken;
  }

  /**
   * Waits for all devices, but not much longer than `patienceMs` for the last `most` of them. Calls `onWaiting` each time
   * that it must wait longer. Throws LeaseLost if some devices were skipped, because such a page must not be saved.
   */
  async settled(patienceMs: number, most: number, onWaiting = (): void => {}): Promise<void> {
    // Each turn that waits for a gateway that hangs would delay the others again.
    let waitMs = this.terms.breakers.isStalled ? Math.min(patienceMs, stalledMs) : patienceMs;
    for (await this.wait(waitMs); this.mustWait(most); await this.wait(waitMs)) {
      onWaiting();
      waitMs = patienceMs;
    }
    if (this.isAbandoned) throw new LeaseLost('The lease ran out while a page was sent');
  }

  private async wait(milliseconds: number): Promise<void> {
    const { slots, breakers } = this.terms;
    const { given } = slots;
    await settledIn(this.done, milliseconds);
    breakers.isStalled = (slots.given - given) * leastShareEnded < slots.held;
  }

  /** The devices whose platform or app is at fault. */
  private doubtful(): ReadonlySet<DeviceAddress> {
    const { isAtFault, breakers } = this.terms;
    if (isAtFault) return new Set(this.devices);
    if (!breakers.isOpen) return new Set();
    return new Set(this.devices.filter(({ bundleIdentifier }) => breakers.faultOf(bundleIdentifier) !== undefined));
  }

  private senders(devices: readonly DeviceAddress[], concurrency: number): readonly Promise<void>[] {
    const rest = devices.values();
    return Array.from({ length: Math.min(concurrency, devices.length) }, () => this.sendNext(rest));
  }

  private async sendNext(rest: Iterator<DeviceAddress>): Promise<void> {
    const { slots, breakers } = this.terms;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const turn = slots.take();
      if (turn) await turn;
      if (!this.stops(next.value) && !this.terms.lease.isHeld) await this.holdAgain();
      // Only now: a page is saved once all its devices have begun, and the store may take long to renew the lease.
      this.begun += 1;
      if (this.terms.isCutShort()) this.skipped.push(next.value);
      else if (this.stops(next.value)) this.outcome.stopped(next.value);
      else if (!this.isAbandoned) await this.send(next.value);
      slots.give();
      if (slots.held === 0) breakers.isStalled = false;
    }
  }

  private stops({ bundleIdentifier }: DeviceAddress): boolean {
    return this.stopped.has(undefined) || this.stopped.has(bundleIdentifier);
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

  private mustWait(most: number): boolean {
    return !this.haveAllBegun || this.underWay.size > most;
  }

  private async send(device: DeviceAddress): Promise<void> {
    this.underWay.add(device);
    try {
      const outcome = await this.prepared.send(device);
      this.outcome.settle(device, outcome);
      // The sandbox says nothing about production, whose fault stops the app.
      if (outcome.environment !== 'sandbox') this.judged(device);
    } catch (error) {
      this.outcome.thrown(device, error);
      if (error instanceof PlatformFault) this.refused(error);
    }
    this.underWay.delete(device);
  }

  private judged(device: DeviceAddress): void {
    this.terms.breakers.judged(device);
    this.stopped.delete(undefined);
    this.stopped.delete(device.bundleIdentifier);
  }

  private refused(fault: PlatformFault): void {
    const { breakers } = this.terms;
    breakers.refused(fault);
    if (breakers.faultOf(fault.bundleIdentifier) !== undefined) this.stopped.add(fault.bundleIdentifier);
  }
}
