import { type OwnerSlots, traced } from '#common';
import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault, type PreparedNotification } from '../delivery/push.gateway.js';
import { newPartition, type Partition } from '../outbox/partition.js';
import type { WaitingRetries } from '../outbox/publish.outbox.js';
import { dueAtOf } from '../publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import type { ClaimedPublish } from './claimed-publish.js';
import { secondHalf } from './second-half.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import { PartitionPause } from './partition-pause.js';
import { PartitionLedger } from './partition-ledger.js';
import { LateSends } from './late-sends.js';
import { type DeferredDevice, PageOutcome, platformFault, refusePage } from './page-outcome.js';
import { type PartitionPage, readPage } from './recipients.js';
import { Sending, type SendingTerms } from './sending.js';
import type { PartitionDelivery } from './delivery-step.js';

/** The smallest half page for which parallel saving and sending pays off. */
const smallestHalf = 400;

/** A partition with fewer pages left than this is not worth a second worker. */
const minPages = 4;

/** A page that is being sent, or the outcome of one that is not sent. */
interface BegunPage {
  readonly page: PartitionPage;
  readonly sends: Sending | PageOutcome;
  /** The number of the partition's delays when the page began. */
  readonly timesBefore: number;
}

/**
 * Works through one platform's part of a publish: page by page, with retries when they are due, saving after each. With
 * enough devices, it works on two half pages, so that it sends one while it saves the other.
 */
export class PartitionRun {
  /** Whether it currently only waits for the gateway. */
  isWaiting = false;
  private readonly ledger: PartitionLedger;
  private readonly delivery: PartitionDelivery;
  private readonly late: LateSends;
  /** How many devices may be in progress together, not counting late ones. */
  private readonly maxInFlight: number;
  private readonly pagesAtOnce: number;
  /** In audience order, which is also the order of saving. */
  private begun: BegunPage[] = [];
  /** The end of the last page begun. */
  private readTo: string;
  private isReadOut: boolean;
  private prepared?: PreparedNotification;
  /** Why it sends to no device; it still counts the audience. */
  private refusal?: string;
  private readonly pause: PartitionPause;

  constructor(
    private readonly ports: FanOutPorts,
    private readonly claimed: ClaimedPublish,
    partition: Partition,
    waiting: WaitingRetries | undefined,
  ) {
    this.ledger = new PartitionLedger(ports, claimed, partition, waiting);
    this.late = new LateSends(Math.floor(claimed.partitionDevices / 10));
    this.pause = new PartitionPause(ports.settings);
    this.maxInFlight = claimed.partitionDevices - this.late.most;
    this.pagesAtOnce = this.maxInFlight >= 2 * smallestHalf ? 2 : 1;
    this.delivery = ports.deliveries.of(claimed, partition.platform);
    this.readTo = partition.cursor;
    this.isReadOut = partition.paged;
  }

  get state(): Partition {
    return this.ledger.partition;
  }

  /** Runs until nothing is due or `yields` returns true; then finishes all pages begun. */
  async run(yields: () => boolean): Promise<void> {
    try {
      while (!yields()) {
        await this.settleLate(this.late.answered());
        if (this.ledger.isRangeWanted) await this.handOver();
        if (this.retryIsDue()) await this.retry();
        else if (this.mayPageNow()) await this.beginPage();
        else if (this.begun.length > 0) await this.settleOldest();
        else return;
      }
    } finally {
      await this.settleBegun();
    }
  }

  /** Waits for the missing answers, at the end of every run. */
  async drain(): Promise<void> {
    await this.settleLate(await this.late.all());
    await this.ledger.end();
  }

  /** Notes that the attempt of the publish has been reported. */
  attempted(): Promise<void> {
    return this.ledger.attempted();
  }

  /** When there is work again, in epoch milliseconds; Infinity: the partition is done. */
  dueAt(): number {
    const { now, steady, settings } = this.ports;
    const pageAt = now() + Math.max(0, Math.ceil(this.pause.until - steady()));
    const dueAt = Math.min(this.ledger.retries.dueAt, this.mayPage() ? pageAt : Infinity);
    return this.isHeldUp ? Math.max(dueAt, now() + settings.pollMs) : dueAt;
  }

  /** Leaves the other pages to another turn, because this one waits for the gateway of another platform. */
  async leaveRest(): Promise<void> {
    if (!this.mayPageNow()) return;
    const { platform, users, to } = this.state;
    const start = { from: this.readTo, cursor: this.readTo };
    await this.ledger.handOver({ ...newPartition(platform, users.length), ...start, ...(to !== undefined && { to }) });
    this.isReadOut = true;
  }

  private mayPage(): boolean {
    const { count } = this.ledger.retries;
    // A faulty platform is probed with the retries that already wait; a faulty app does not stop the others.
    const isStopped = this.state.fault !== undefined && count > 0 && !this.breakers.isOfApps;
    return !this.isReadOut && !isStopped && (count < this.ports.settings.waitingRetries || this.ledger.isPartial);
  }

  private mayPageNow(): boolean {
    return this.mayPage() && !this.isHeldUp && this.pause.until <= this.ports.steady();
  }

  /** Whether no device can be sent to before a gateway that hangs answers others of the instance. */
  private get isHeldUp(): boolean {
    return this.breakers.isStalled && this.slots.isFull;
  }

  /** Shares no delayed or faulty partition: other workers would only get the same answer from the gateway. */
  private async handOver(): Promise<void> {
    const isWell = (this.state.fault === undefined || this.ledger.isPartial) && this.mayPageNow();
    const range = isWell ? secondHalf(this.state, this.readTo, minPages * this.claimed.partitionDevices) : undefined;
    if (range) await this.ledger.handOver(range);
  }

  private retryIsDue(): boolean {
    const { count, dueAt } = this.ledger.retries;
    return count > 0 && (this.refusal !== undefined || (dueAt <= this.ports.now() && !this.isHeldUp));
  }

  private async beginPage(): Promise<void> {
    const { platform, to } = this.state;
    const limit = Math.floor(this.maxInFlight / this.pagesAtOnce);
    const page = await readPage(this.delivery.recipients, platform, { after: this.readTo, to, limit });
    const timesBefore = this.pause.times;
    this.begun.push({ page, sends: await this.begin(page.devices, false), timesBefore });
    this.readTo = page.devices.at(-1)?.id ?? this.readTo;
    this.isReadOut = page.last;
    if (this.begun.length === this.pagesAtOnce) await this.settleOldest();
  }

  private async settleBegun(): Promise<void> {
    while (this.begun.length > 0) await this.settleOldest();
  }

  private async settleOldest(): Promise<void> {
    const oldest = this.begun.shift();
    if (!oldest) return;
    const { page, sends, timesBefore } = oldest;
    const { outcome, late, skipped } = await this.ended(sends);
    await this.settle({ outcome, page, late, skipped });
    const tried = page.devices.length;
    // Do not wait longer than until the notification expires.
    const { now, steady } = this.ports;
    const later = this.ledger.isPartial ? outcome.later.filter(isOfGateway) : outcome.later;
    this.pause.after({ later }, { tried, timesBefore }, steady(), Math.max(0, this.overAt(false) + 1 - now()));
  }

  private async retry(): Promise<void> {
    await this.settleBegun();
    // Pending sends must not be refused as well.
    if (this.refusal !== undefined) await this.drain();
    const dueBy = this.refusal === undefined ? this.ports.now() : Number.MAX_SAFE_INTEGER;
    const { due, isFirst } = await this.ledger.retries.due(dueBy, this.maxInFlight);
    const find = async (id: string) => this.delivery.recipients.find(id);
    const found = await Promise.all(due.map(find));
    // Deleted devices get nothing: their retries are settled without an outcome.
    const devices = found.filter((device) => !!device);
    const { outcome, late, skipped } = await this.ended(await this.begin(devices, !isFirst));
    await this.settle({ outcome, retried: due, late, skipped });
  }

  private async begin(devices: readonly DeviceAddress[], isRetry: boolean): Promise<Sending | PageOutcome> {
    if (devices.length > 0 && this.refusal === undefined) this.prepared ??= await this.prepare();
    if (this.refusal !== undefined || !this.prepared) return refusePage(devices, this.refusal ?? '');
    if (this.overAt(isRetry) < this.ports.now()) return refusePage(devices, 'Expired');
    const sending = new Sending(devices, this.prepared, this.terms());
    this.trace(sending, devices.length);
    return sending;
  }

  private trace(sending: Sending, devices: number): void {
    const { id, instanceId, traceparent } = this.claimed.publish;
    const attributes = {
      'rookery.instance': instanceId,
      'rookery.publish': id,
      'rookery.platform': this.state.platform,
      'rookery.devices': devices,
    };
    const work = traced('rookery send', 'CLIENT', attributes, traceparent);
    if (work) void sending.done.then(() => work.end());
  }

  private terms(): SendingTerms {
    const { settings } = this.ports;
    const { breakers, slots } = this;
    const { platform, fault } = this.state;
    return {
      slots,
      breakers,
      lease: this.claimed.lease,
      concurrency: settings.concurrency[platform],
      isAtFault: fault !== undefined && !breakers.isOpen,
      isCutShort: this.claimed.isCutShort,
    };
  }

  private get slots(): OwnerSlots {
    return this.ports.slots[this.state.platform].of(this.claimed.publish.instanceId);
  }

  private get breakers(): CircuitBreakers {
    return this.ports.breakersOf(this.claimed.instance.id, this.state.platform);
  }

  /** The outcome of all devices except the slow ones. */
  private async ended(sends: Sending | PageOutcome) {
    if (sends instanceof PageOutcome) return { outcome: sends, late: [], skipped: [] };
    await sends.settled(this.ports.settings.slowSendMs, this.late.room(), () => this.waits(sends));
    this.isWaiting = false;
    const late = this.late.keep(sends);
    return { outcome: sends.take(), late, skipped: sends.skipped };
  }

  private waits(sends: Sending): void {
    this.isWaiting = sends.haveAllBegun || this.breakers.isStalled;
    if (this.isWaiting) this.claimed.onWaiting();
  }

  /** When the notification's time to live ends. A TTL of 0 ends with the first try, however late it is. */
  private overAt(isRetry: boolean): number {
    const ttlMs = this.prepared?.ttlMs ?? 0;
    return ttlMs > 0 || isRetry ? dueAtOf(this.claimed.publish) + ttlMs : Infinity;
  }

  /** Only if there is a device to send to: missing credentials are not a fault of a platform without devices. */
  private async prepare(): Promise<PreparedNotification | undefined> {
    try {
      const { notification, sender } = this.delivery;
      const made = await this.ports.gateways.of(this.state.platform).prepare(notification);
      if (!('rejected' in made)) return sender?.(made) ?? made;
      this.refusal = made.rejected;
    } catch (error) {
      if (!(error instanceof PlatformFault)) throw error;
      this.ledger.fault(error);
      this.refusal = platformFault;
    }
    return undefined;
  }

  private async settle(settlement: Parameters<PartitionLedger['settle']>[0]): Promise<void> {
    try {
      await this.ledger.settle(settlement, this.prepared?.ttlMs ?? 0);
    } catch (error) {
      // Saving a later page would mark this one as done.
      this.begun = [];
      throw error;
    }
  }

  private async settleLate(answered: readonly Sending[]): Promise<void> {
    for (const sending of answered) {
      const outcome = sending.take();
      await this.settle({ outcome, retried: outcome.deviceIds() });
    }
  }
}

/** Whether the gateway asked to send later; the devices of a stopped app wait without asking it. */
const isOfGateway = ({ reason }: DeferredDevice): boolean => reason !== platformFault;
