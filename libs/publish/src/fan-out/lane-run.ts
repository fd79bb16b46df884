import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault, type PreparedNotification } from '../delivery/push.gateway.js';
import type { Lane } from '../outbox/lane.js';
import type { WaitingRetries } from '../outbox/publish.outbox.js';
import type { FanOutPorts } from './fan-out.ports.js';
import type { Held } from './held.js';
import { LaneLedger, refusalOf } from './lane-ledger.js';
import { LanePages } from './lane-pages.js';
import { LateSends } from './late-sends.js';
import { type PageOutcome, refusePage } from './page-outcome.js';
import { retryDelay } from './retry-delay.js';
import { Sending } from './sending.js';

/** Works through one platform's part of a publish: page by page, retries when they are due, saving after each. */
export class LaneRun {
  private readonly ledger: LaneLedger;
  private readonly pages: LanePages;
  private readonly late: LateSends;
  private readonly pageSize: number;
  private prepared?: PreparedNotification;
  /** Why no device is sent to; the audience is counted all the same. */
  private refusal?: string;
  /** No new page before this, in epoch milliseconds: the gateway has put off most of the last one. */
  private heldUntil = 0;
  private holds = 0;

  constructor(
    private readonly ports: FanOutPorts,
    private readonly held: Held,
    lane: Lane,
    waiting: WaitingRetries | undefined,
  ) {
    this.ledger = new LaneLedger(ports, held, lane, waiting);
    this.late = new LateSends(Math.floor(held.laneDevices / 10));
    this.pageSize = held.laneDevices - this.late.most;
    this.pages = new LanePages(ports.devices, held.publish, lane.platform, this.pageSize);
    this.refusal = refusalOf(lane);
  }

  get state(): Lane {
    return this.ledger.lane;
  }

  /** Goes on until nothing is due or `yields` says so. */
  async run(yields: () => boolean): Promise<void> {
    while (!yields()) {
      await this.settleLate(this.late.answered());
      if (this.retryIsDue()) await this.retry();
      else if (this.mayPage() && this.heldUntil <= this.ports.now()) await this.nextPage();
      else return;
    }
  }

  /** Waits for the answers that are still missing; every run ends with it. */
  async drain(): Promise<void> {
    await this.settleLate(await this.late.all());
  }

  /** When there is something to do again, in epoch milliseconds; Infinity: it is over. */
  dueAt(): number {
    return Math.min(this.ledger.retries.dueAt, this.mayPage() ? this.heldUntil : Infinity);
  }

  private mayPage(): boolean {
    return !this.state.paged && this.ledger.retries.count < this.ports.settings.waitingRetries;
  }

  private retryIsDue(): boolean {
    const { count, dueAt } = this.ledger.retries;
    return count > 0 && (this.refusal !== undefined || dueAt <= this.ports.now());
  }

  private async nextPage(): Promise<void> {
    const page = await this.pages.after(this.state.cursor);
    const { outcome, late } = await this.send(page.devices, false);
    await this.settle({ outcome, page, late });
    this.holdAfter(outcome, page.devices.length);
  }

  private async retry(): Promise<void> {
    // What is still under way must not be refused as well.
    if (this.refusal !== undefined) await this.drain();
    const dueBy = this.refusal === undefined ? this.ports.now() : Number.MAX_SAFE_INTEGER;
    const due = await this.ledger.retries.due(dueBy, this.pageSize);
    const { instanceId } = this.held.publish;
    const find = async (id: string) => this.ports.devices.find(instanceId, this.state.platform, id);
    const found = await Promise.all(due.map(find));
    // A device that has been deleted since has nothing to receive: its retry is settled without an outcome.
    const devices = found.filter((device) => device !== undefined);
    const { outcome, late } = await this.send(devices, true);
    await this.settle({ outcome, retried: due, late });
  }

  private async send(
    devices: readonly DeviceAddress[],
    isRetry: boolean,
  ): Promise<{ outcome: PageOutcome; late: readonly DeviceAddress[] }> {
    if (devices.length > 0 && this.refusal === undefined) this.prepared ??= await this.prepare();
    if (this.refusal !== undefined || !this.prepared)
      return { outcome: refusePage(devices, this.refusal ?? ''), late: [] };
    if (this.overAt(isRetry) < this.ports.now()) return { outcome: refusePage(devices, 'Expired'), late: [] };
    const { slots, settings } = this.ports;
    const { platform } = this.state;
    const sending = new Sending(devices, this.prepared, slots[platform], settings.concurrency[platform]);
    await sending.settled(settings.slowSendMs, this.late.room());
    const late = this.late.keep(sending);
    return { outcome: sending.take(), late };
  }

  /** When the notification's time to live ends. One of 0 ends with the first try, however late that is. */
  private overAt(isRetry: boolean): number {
    const ttlMs = this.prepared?.ttlMs ?? 0;
    return ttlMs > 0 || isRetry ? this.held.publish.createdAt + ttlMs : Infinity;
  }

  /** Only when there is a device to send to: a platform without credentials and without devices is no fault. */
  private async prepare(): Promise<PreparedNotification | undefined> {
    const { publish, instance } = this.held;
    const { platform } = this.state;
    const payload = publish.payloads[platform] ?? {};
    const notification = { instance, publishId: publish.id, publishedAt: publish.createdAt, payload };
    try {
      const made = await this.ports.gateways.of(platform).prepare(notification);
      if (!('rejected' in made)) return made;
      this.refusal = made.rejected;
    } catch (error) {
      if (!(error instanceof PlatformFault)) throw error;
      this.ledger.fault(error.message);
      this.refusal = refusalOf(this.state);
    }
    return undefined;
  }

  private async settle(settlement: Parameters<LaneLedger['settle']>[0]): Promise<void> {
    await this.ledger.settle(settlement, this.prepared?.ttlMs ?? 0);
    this.refusal ??= refusalOf(this.state);
  }

  private async settleLate(answered: readonly Sending[]): Promise<void> {
    for (const sending of answered) {
      const outcome = sending.take();
      await this.settle({ outcome, retried: outcome.deviceIds() });
    }
  }

  private holdAfter({ later }: PageOutcome, tried: number): void {
    if (later.length * 2 <= tried) this.holds = 0;
    else this.hold(later.reduce((least, { retryAfterMs = 0 }) => Math.min(least, retryAfterMs), Infinity));
  }

  private hold(wishMs: number): void {
    this.holds += 1;
    const wishedFor = this.ports.now() + retryDelay(this.holds, this.ports.settings, wishMs);
    // What is over then need not be waited for.
    this.heldUntil = Math.min(wishedFor, this.overAt(false) + 1);
  }
}
