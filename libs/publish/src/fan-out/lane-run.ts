import type { DeviceAddress, Instance } from 'rookery/push-device';
import { Logger } from '@nestjs/common';
import { PlatformFault, type PreparedNotification } from '../delivery/push.gateway.js';
import type { Lane, Retry } from '../outbox/lane.js';
import type { WaitingRetries } from '../outbox/publish.outbox.js';
import type { Publish } from '../publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { LanePages } from './lane-pages.js';
import { type PageOutcome, platformFault, refusePage, sendPage } from './page.js';
import { retryDelay } from './retry-delay.js';
import { RetryQueue } from './retry-queue.js';
import { tally } from './tally.js';

/** The publish that a lane belongs to, as its present claimer holds it. */
export interface Held {
  readonly owner: string;
  readonly publish: Publish;
  readonly instance: Instance;
  /** Devices between two saves, all lanes of the publish together being `pageSize`. */
  readonly lanePageSize: number;
}

/** Another owner has the publish now: whatever this one still wanted to write is refused. */
export class LeaseLost extends Error {}

/** Works through one platform's part of a publish: page by page, retries when they are due, saving after each. */
export class LaneRun {
  private readonly logger = new Logger('Fan-out');
  private readonly pages: LanePages;
  private readonly retries: RetryQueue;
  private prepared?: PreparedNotification;
  /** Why no device is sent to; the audience is counted all the same. */
  private refusal?: string;
  /** No new page before this, in epoch milliseconds: the gateway has put off most of the last one. */
  private heldUntil = 0;
  private holds = 0;

  constructor(
    private readonly ports: FanOutPorts,
    private readonly held: Held,
    private lane: Lane,
    waiting: WaitingRetries | undefined,
  ) {
    this.pages = new LanePages(ports.devices, held.publish, lane.platform, held.lanePageSize);
    this.retries = new RetryQueue(ports.outbox, held.publish.id, lane.platform, waiting);
    if (lane.fault !== undefined) this.refusal = platformFault;
  }

  get state(): Lane {
    return this.lane;
  }

  /** Goes on until nothing is due or `yields` says so. */
  async run(yields: () => boolean): Promise<void> {
    while (!yields()) {
      if (this.retryIsDue()) await this.retry();
      else if (this.mayPage() && this.heldUntil <= this.ports.now()) await this.nextPage();
      else return;
    }
  }

  /** When there is something to do again, in epoch milliseconds; Infinity: it is over. */
  dueAt(): number {
    return Math.min(this.retries.dueAt, this.mayPage() ? this.heldUntil : Infinity);
  }

  private mayPage(): boolean {
    return !this.lane.paged && this.retries.count < this.ports.settings.waitingRetries;
  }

  private retryIsDue(): boolean {
    return this.retries.count > 0 && (this.refusal !== undefined || this.retries.dueAt <= this.ports.now());
  }

  private async nextPage(): Promise<void> {
    const { devices, last } = await this.pages.after(this.lane.cursor);
    const outcome = await this.send(devices);
    const { audience, cursor } = this.lane;
    this.lane = {
      ...this.lane,
      audience: audience + devices.length,
      cursor: devices.at(-1)?.id ?? cursor,
      paged: last,
    };
    await this.settle(outcome, []);
    this.holdAfter(outcome, devices.length);
  }

  private async retry(): Promise<void> {
    const dueBy = this.refusal === undefined ? this.ports.now() : Number.MAX_SAFE_INTEGER;
    const due = await this.retries.due(dueBy, this.held.lanePageSize);
    const { instanceId } = this.held.publish;
    const found = await Promise.all(due.map(async (id) => this.ports.devices.find(instanceId, this.lane.platform, id)));
    // A device that has been deleted since has nothing to receive: its retry is settled without an outcome.
    const devices = found.filter((device) => device !== undefined);
    await this.settle(await this.send(devices), due);
  }

  private async send(devices: readonly DeviceAddress[]): Promise<PageOutcome> {
    if (devices.length > 0 && this.refusal === undefined) this.prepared ??= await this.prepare();
    if (this.refusal !== undefined || !this.prepared) return refusePage(devices, this.refusal ?? '');
    const { slots, settings } = this.ports;
    const { platform } = this.lane;
    return sendPage(devices, this.prepared, slots[platform], settings.concurrency[platform]);
  }

  /** Only when there is a device to send to: a platform without credentials and without devices is no fault. */
  private async prepare(): Promise<PreparedNotification | undefined> {
    const { publish, instance } = this.held;
    const { platform } = this.lane;
    const payload = publish.payloads[platform] ?? {};
    try {
      const made = await this.ports.gateways
        .of(platform)
        .prepare({ instance, publishId: publish.id, publishedAt: publish.createdAt, payload });
      if (!('rejected' in made)) return made;
      this.refusal = made.rejected;
    } catch (error) {
      if (!(error instanceof PlatformFault)) throw error;
      this.fault(error.message);
    }
    return undefined;
  }

  private fault(message: string): void {
    this.refusal = platformFault;
    this.lane = { ...this.lane, fault: message };
    this.ports.faults.fault(this.held.instance.id, this.lane.platform, this.held.publish.id, message);
  }

  private async settle(outcome: PageOutcome, retried: readonly string[]): Promise<void> {
    const again = this.sortOut(outcome);
    if (outcome.fault !== undefined) this.fault(outcome.fault);
    else if (outcome.sent.length > 0) this.ports.faults.works(this.held.instance.id, this.lane.platform);
    if (outcome.unexpected !== undefined)
      this.logger.error(
        `${this.held.publish.id}: a ${this.lane.platform} send broke; trying again`,
        outcome.unexpected,
      );
    await this.remove(outcome);
    this.lane = tally(this.lane, outcome, this.held.publish.audience);
    await this.save(again, retried);
  }

  /** The devices put off that will be tried again; for the others the time is over, and they count as failed. */
  private sortOut(outcome: PageOutcome): readonly Retry[] {
    const { now, settings } = this.ports;
    const deadline = this.held.publish.createdAt + (this.prepared?.ttlMs ?? 0);
    const again: Retry[] = [];
    for (const late of outcome.later) {
      const retry = this.retries.again(late, now(), settings);
      if (retry.dueAt <= deadline) again.push(retry);
      else outcome.failed.push(late);
    }
    return again;
  }

  private async remove({ gone, sent, failed, later }: PageOutcome): Promise<void> {
    if (gone.length === 0) return;
    const { guard, devices } = this.ports;
    const { instanceId } = this.held.publish;
    const tried = sent.length + failed.length + later.length;
    const allowed = guard.allows(instanceId, this.lane.platform, { tried, gone: gone.length });
    if (!allowed) this.lane = { ...this.lane, deletionPaused: true };
    else
      this.lane = { ...this.lane, removed: this.lane.removed + (await devices.removeUnregistered(instanceId, gone)) };
  }

  private async save(again: readonly Retry[], retried: readonly string[]): Promise<void> {
    const { owner, publish } = this.held;
    const waits = new Set(again.map(({ deviceId }) => deviceId));
    const settled = retried.filter((id) => !waits.has(id));
    if (!(await this.ports.outbox.save(owner, publish.id, this.lane, { again, settled })))
      throw new LeaseLost(`${publish.id} has another owner`);
    if (again.length > 0 || retried.length > 0) await this.retries.refresh();
  }

  private holdAfter({ later }: PageOutcome, tried: number): void {
    if (later.length * 2 <= tried) this.holds = 0;
    else this.hold(later.reduce((least, { retryAfterMs = 0 }) => Math.min(least, retryAfterMs), Infinity));
  }

  private hold(wishMs: number): void {
    this.holds += 1;
    this.heldUntil = this.ports.now() + retryDelay(this.holds, this.ports.settings, wishMs);
  }
}
