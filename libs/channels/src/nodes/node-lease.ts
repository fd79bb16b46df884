import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ThisNode, Unavailable } from '#common';
import { PresenceService } from 'rookery/presence';
import { AboutNodes } from './about-nodes.js';
import { type LeaseRenewal, LeaseStore } from './lease.store.js';
import { NodesService } from './nodes.service.js';

/** How often a process checks while it is among the dying, because another is removing its entries. */
const dyingPollMs = 100;

interface Renewal extends LeaseRenewal {
  /** When the store was asked, by performance.now(). */
  readonly askedAt: number;
}

/**
 * Shows that a process is alive. It renews its lease regularly; when another's lease has ended, exactly one process
 * removes the entries of that one. If its own lease was lost (after a pause or a disconnection), or the store has
 * forgotten it, it announces all its entries again.
 */
@Injectable()
export class NodeLease implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private about: AboutNodes | undefined;
  private timer: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;
  private duties: Promise<void> | undefined;
  private announcing: Promise<void> | undefined;
  /** Whether the lease was renewed since the duties began. */
  private areDue = false;
  /** The connection's count of breaks at the latest renewal. */
  private breaks = 0;
  private nodes: NodesService | undefined;
  /** Tells the store apart from one that has lost its data. */
  private epoch: string | undefined;
  /** Whether this process knows that there was an epoch before. */
  private knowsOfLoss = false;
  /** Until then the store, having lost its data, may lack entries of other processes. By performance.now(). */
  private completeAt = 0;
  /** Whether this process has to announce its entries again, and why. */
  private owed: { readonly silentUntil: number } | undefined;
  /** The time of the latest renewal, by performance.now(). */
  private renewedAt = -Infinity;
  /**
   * Until then no process is considered dead, since leases could not be renewed while the store was away. By
   * performance.now().
   */
  private sparesUntil = 0;
  private isEnding = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly node: ThisNode,
    private readonly modules: ModuleRef,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.nodes = this.nodesOfHost();
    this.about = new AboutNodes(this.store, this.node.id, this.nodes?.configuredApps ?? '');
    await this.beat();
    this.node.recount = () => this.renewLease();
    const { heartbeatSeconds } = this.store.settings;
    this.timer = setInterval(() => void this.beat(), heartbeatSeconds * 1000).unref();
    this.store.onReconnect(() => this.beat({ isReconnected: true }));
    this.store.onTakenForDead(() => {
      this.owed ??= { silentUntil: 0 };
      void this.beat();
    });
  }

  /** Whether the store has been away, or has refused writes, for longer than clients may wait for it. */
  get isLost(): boolean {
    const { heartbeatSeconds, outageSeconds } = this.store.settings;
    return performance.now() - this.renewedAt > (heartbeatSeconds + outageSeconds) * 1000;
  }

  /** Where the lease is, as logs name it. */
  get storeName(): LeaseStore['name'] {
    return this.store.name;
  }

  /** Ends the lease at once instead of letting it expire: another process removes the entries that remain. */
  async onApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.renewal;
    await this.duties;
    await this.store.end(this.node.id).catch(() => undefined);
    this.store.close();
  }

  /** Renews the lease, one renewal at a time, and acts on the answer. */
  private async beat({ isReconnected = false } = {}): Promise<void> {
    if (this.isEnding) return;
    await (this.renewal && !isReconnected ? this.renewal : this.renewLease(isReconnected));
    await this.duties;
  }

  private async renewLease(isReconnected = false): Promise<void> {
    await this.renewal;
    this.renewal = this.renew(isReconnected)
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.renewal = undefined));
    await this.renewal;
  }

  private async renew(isReconnected: boolean): Promise<void> {
    const { breaks } = this.store;
    const renewal = await this.renewed();
    const { alive, epoch } = renewal;
    // A timer's beat may be the first on a restored connection.
    const wasCutOff = isReconnected || breaks !== this.breaks;
    this.breaks = breaks;
    this.renewedAt = performance.now();
    if (wasCutOff) this.sparesUntil = this.renewedAt + this.store.settings.leaseSeconds * 1000;
    if (this.hasForgotten(renewal)) this.forgotten(renewal);
    else if (this.epoch !== undefined && (renewal.state === 'new' || wasCutOff)) this.owed ??= { silentUntil: 0 };
    this.epoch = epoch;
    this.knowsOfLoss = renewal.isNext;
    this.node.others = alive - 1;
    this.areDue = true;
    await this.about?.compare(alive);
    this.duties ??= this.doDuties()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.duties = undefined));
  }

  /** The slow work; the lease is renewed meanwhile. Failed work is repeated at the next renewal. */
  private async doDuties(): Promise<void> {
    while (this.areDue) {
      this.areDue = false;
      const { completeAt, breaks } = this;
      await this.announce();
      // A renewal meanwhile has found that the store lacks this announcement, too.
      if (this.owed) continue;
      this.store.ledgerIsBack(completeAt, breaks);
      if (performance.now() >= this.sparesUntil) await this.takeOutTheDead();
      if (performance.now() > this.completeAt) this.announceMissed();
    }
  }

  /** Runs beside the duties: it waits until the store has the processes' entries, which the duties restore. */
  private announceMissed(): void {
    this.announcing ??= this.nodes
      ?.announceMissed()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.announcing = undefined));
  }

  private async renewed(): Promise<Renewal> {
    for (;;) {
      const askedAt = performance.now();
      const renewal = await this.store.renew(this.node.id, this.about!.own, this.epoch ?? '');
      if (renewal.state !== 'dying') return { ...renewal, askedAt };
      await new Promise((resolve) => setTimeout(resolve, dyingPollMs));
    }
  }

  /** A process that has started since the store lost its data learns that from others, perhaps after its first beat. */
  private hasForgotten({ epoch, ageMs, isNext }: Renewal): boolean {
    if (this.epoch === undefined) return isNext && this.incompleteMs(ageMs) > 0;
    return this.epoch !== epoch || (isNext && !this.knowsOfLoss);
  }

  /** For how long the store, having lost its data, may still lack entries. */
  private incompleteMs(ageMs: number): number {
    return 2 * this.store.settings.heartbeatSeconds * 1000 - ageMs;
  }

  /** The store has lost its data: for two heartbeats processes announce their entries again, without notifying clients. */
  private forgotten({ epoch, ageMs, askedAt }: Renewal): void {
    this.logger.warn(`${this.store.name} has lost its data: this process announces its entries again`);
    // Until now, this process has answered from what the store had.
    if (this.epoch === epoch) this.nodes?.recheckAll();
    const leftMs = this.incompleteMs(ageMs);
    // The answer's way here counts against this process, so that what it announces silently is there when others read.
    this.completeAt = performance.now() + Math.max(0, leftMs);
    this.owed = { silentUntil: askedAt + leftMs };
  }

  /** Each beat tries again until it succeeds, including what has become owed meanwhile. */
  private async announce(): Promise<void> {
    const { owed } = this;
    if (!owed) return;
    this.owed = undefined;
    try {
      await (this.nodes ?? this.presenceOfHost()).announce(owed);
    } catch (error) {
      this.owed ??= owed;
      throw error;
    }
  }

  private async takeOutTheDead(): Promise<void> {
    for (let dead; (dead = await this.store.claimDead(this.node.id)) !== undefined;) {
      this.logger.log(`Process ${dead} has ended: its entries are removed`);
      await (this.nodes ?? this.presenceOfHost()).takeOut(dead);
      await this.store.bury(dead);
    }
  }

  /** A host may share only presence. */
  private nodesOfHost(): NodesService | undefined {
    try {
      return this.modules.get(NodesService, { strict: false });
    } catch {
      return undefined;
    }
  }

  private presenceOfHost(): PresenceService {
    return this.modules.get(PresenceService, { strict: false });
  }

  private failed(error: unknown): void {
    // The outage is already logged; the next beat tries again.
    if (error instanceof Unavailable) return;
    this.logger.error(`The lease was not renewed, or its duties failed: ${String(error)}`);
  }
}
