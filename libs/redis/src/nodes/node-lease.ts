import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NodesService } from 'rookery/channels';
import { ThisNode, Unavailable } from 'rookery/common';
import { isSilence, RedisConnection } from '../connection/redis.connection.js';
import { AboutNodes } from './about-nodes.js';
import * as scripts from './scripts.js';

/** How often a process asks that finds itself among the dying: somebody is taking it out. */
const dyingPollMs = 100;

/**
 * By this a process is known to be alive. It renews its lease time and again; where the lease of another has ended, it
 * takes out what that one held, alone. When its own was lost (it was paused, or cut off), or Redis has forgotten it, it
 * says again all that it holds.
 */
@Injectable()
export class NodeLease implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private about: AboutNodes | undefined;
  private timer: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;
  private duties: Promise<void> | undefined;
  private telling: Promise<void> | undefined;
  /** Whether the lease was renewed since the duties began. */
  private areDue = false;
  /** How often the connection had been broken before the latest renewal. */
  private breaks = 0;
  private nodes: NodesService | undefined;
  /** By which Redis can be told from one that has lost its memory. */
  private epoch: string | undefined;
  /** Until then Redis may lack what other processes hold: it has lost its memory. By performance.now(). */
  private completeAt = 0;
  /** Whether this process has to say again what it holds, and why. */
  private owed: { readonly untoldUntil: number } | undefined;
  /** When the lease was renewed last, by performance.now(). */
  private renewedAt = -Infinity;
  /** Until then nobody is taken for dead: while Redis was away, no lease could be renewed. By performance.now(). */
  private sparesUntil = 0;
  private isEnding = false;

  constructor(
    private readonly redis: RedisConnection,
    private readonly node: ThisNode,
    private readonly modules: ModuleRef,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.nodes = this.nodesOfHost();
    this.about = new AboutNodes(this.redis, this.node.id, this.nodes?.configuredApps ?? '');
    await this.beat();
    const { heartbeatSeconds } = this.redis.settings;
    this.timer = setInterval(() => void this.beat(), heartbeatSeconds * 1000).unref();
    this.redis.onReconnect(() => this.beat({ isReconnected: true }));
    this.redis.onTakenForDead(() => {
      this.owed ??= { untoldUntil: 0 };
      void this.beat();
    });
  }

  /** Whether Redis has been away, or has taken no writes, for longer than clients are kept waiting for it. */
  get isLost(): boolean {
    const { heartbeatSeconds, outageSeconds } = this.redis.settings;
    return performance.now() - this.renewedAt > (heartbeatSeconds + outageSeconds) * 1000;
  }

  /** The lease ends now, and not by itself a little later: what could not be taken out here is taken out by another. */
  async onApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.renewal;
    await this.duties;
    await this.redis.run(scripts.end, [this.redis.keys.ofNodes('leases')], [this.node.id]).catch(() => undefined);
    this.redis.close();
  }

  /** Renews the lease, once at a time, and does what follows from it. */
  private async beat({ isReconnected = false } = {}): Promise<void> {
    if (this.isEnding) return;
    if (!this.renewal || isReconnected) {
      await this.renewal;
      this.renewal = this.renew(isReconnected)
        .catch((error: unknown) => this.failed(error))
        .finally(() => (this.renewal = undefined));
    }
    await this.renewal;
    await this.duties;
  }

  private async renew(isReconnected: boolean): Promise<void> {
    const { breaks } = this.redis;
    const { state, alive, epoch, ageMs } = await this.renewed();
    // The beat of a timer may be the first over a connection that is back.
    const wasCutOff = isReconnected || breaks !== this.breaks;
    this.breaks = breaks;
    this.renewedAt = performance.now();
    if (wasCutOff) this.sparesUntil = this.renewedAt + this.redis.settings.leaseSeconds * 1000;
    if (this.epoch !== undefined && this.epoch !== epoch) this.forgotten(ageMs);
    else if (this.epoch !== undefined && (state === 'new' || wasCutOff)) this.owed ??= { untoldUntil: 0 };
    this.epoch = epoch;
    this.node.others = alive - 1;
    await this.about?.compare(alive);
    this.areDue = true;
    this.duties ??= this.doDuties()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.duties = undefined));
  }

  /** What may take long: the lease is renewed meanwhile. What has failed is done with the next renewal. */
  private async doDuties(): Promise<void> {
    while (this.areDue) {
      this.areDue = false;
      const { completeAt, breaks } = this;
      await this.announce();
      this.redis.ledgerIsBack(completeAt, breaks);
      if (performance.now() >= this.sparesUntil) await this.takeOutTheDead();
      if (performance.now() > this.completeAt) this.tellMissed();
    }
  }

  /** Beside the duties: it waits until Redis has what processes hold, which they see to. */
  private tellMissed(): void {
    this.telling ??= this.nodes
      ?.tellMissed()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.telling = undefined));
  }

  private async renewed(): Promise<{ state: string; alive: number; epoch: string; ageMs: number }> {
    const { keys, settings } = this.redis;
    const names = ['leases', 'dying', 'about', 'epoch'].map((kind) => keys.ofNodes(kind));
    const args = [this.node.id, Math.round(settings.leaseSeconds * 1000), this.about?.mine ?? ''];
    for (;;) {
      const answer = await this.redis.run(scripts.renew, names, args);
      const [state, alive, epoch, ageMs] = answer as [string, number, string, number];
      if (state !== 'dying') return { state, alive, epoch, ageMs };
      await new Promise((resolve) => setTimeout(resolve, dyingPollMs));
    }
  }

  /** Redis has lost its memory: for two heartbeats, processes say again what they hold, and nobody is told of it. */
  private forgotten(ageMs: number): void {
    this.logger.warn('Redis has lost what it knew: what this process holds is said again');
    const leftMs = 2 * this.redis.settings.heartbeatSeconds * 1000 - ageMs;
    this.completeAt = performance.now() + Math.max(0, leftMs);
    // Who has spoken later was missed meanwhile.
    this.owed = { untoldUntil: this.completeAt };
  }

  /** Until it has succeeded, each beat tries again; what becomes owed meanwhile is done then, too. */
  private async announce(): Promise<void> {
    const { owed } = this;
    if (!owed) return;
    this.owed = undefined;
    try {
      await this.nodes?.announce(owed);
    } catch (error) {
      this.owed ??= owed;
      throw error;
    }
  }

  private async takeOutTheDead(): Promise<void> {
    const { keys } = this.redis;
    const names = [keys.ofNodes('leases'), keys.ofNodes('dying')];
    for (;;) {
      const dead = (await this.redis.run(scripts.claimDead, names, [this.node.id])) as string | null;
      if (dead === null) return;
      this.logger.log(`Process ${dead} has ended: what it held is taken out`);
      await this.nodes?.takeOut(dead);
      await this.redis.run(scripts.bury, [...names, keys.ofNodes('about')], [dead]);
    }
  }

  /** A host may use Redis for presence alone. */
  private nodesOfHost(): NodesService | undefined {
    try {
      return this.modules.get(NodesService, { strict: false });
    } catch {
      return undefined;
    }
  }

  private failed(error: unknown): void {
    // That Redis is away was said already; the next beat tries again, over a connection that is not dead without a word.
    if (error instanceof Unavailable) return isSilence(error.cause) ? this.redis.reconnect() : undefined;
    this.logger.error(`The lease of this process was not renewed, or what follows not done: ${String(error)}`);
  }
}
