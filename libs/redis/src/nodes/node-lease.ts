import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NodesService } from 'rookery/channels';
import { ThisNode, Unavailable } from 'rookery/common';
import { RedisConnection } from '../connection/redis.connection.js';
import { AboutNodes } from './about-nodes.js';
import * as scripts from './scripts.js';

/** How often a process asks that finds itself among the dying: somebody is taking it out. */
const dyingPollMs = 100;
/** The time that a process has to take out a dead one; after it, another does. */
const burialMs = 30_000;

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
  private underWay: Promise<void> | undefined;
  private nodes: NodesService | undefined;
  /** By which Redis can be told from one that has lost its memory. */
  private epoch: string | undefined;
  /** Until then Redis may lack what other processes hold: it has lost its memory. In epoch milliseconds. */
  private incompleteUntil = 0;
  /** When the lease was renewed last, in epoch milliseconds. */
  private renewedAt = 0;
  private isEnding = false;

  constructor(
    private readonly redis: RedisConnection,
    private readonly node: ThisNode,
    private readonly modules: ModuleRef,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const nodes = this.modules.get(NodesService, { strict: false });
    this.nodes = nodes;
    this.about = new AboutNodes(this.redis, this.node.id, nodes.configuredApps);
    await this.beat();
    const { heartbeatSeconds } = this.redis.settings;
    this.timer = setInterval(() => void this.beat(), heartbeatSeconds * 1000).unref();
    this.redis.onReconnect(() => this.beat({ isReconnected: true }));
  }

  /** Whether Redis has been away, or has taken no writes, for longer than clients are kept waiting for it. */
  get isLost(): boolean {
    const { heartbeatSeconds, outageSeconds } = this.redis.settings;
    return Date.now() - this.renewedAt > (heartbeatSeconds + outageSeconds) * 1000;
  }

  /** What clients of this process held that have not come back elsewhere is taken out by another. */
  async onApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.underWay;
    const { keys } = this.redis;
    await this.redis
      .run(scripts.bury, [keys.ofNodes('leases'), keys.ofNodes('dying'), keys.ofNodes('about')], [this.node.id])
      // Without Redis, the lease ends by itself.
      .catch(() => undefined);
    this.redis.close();
  }

  /** Renews the lease, does what follows, and takes out who is dead; one at a time. */
  private async beat({ isReconnected = false } = {}): Promise<void> {
    if (this.isEnding) return;
    if (this.underWay && !isReconnected) return this.underWay;
    await this.underWay;
    this.underWay = this.renew(isReconnected)
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.underWay = undefined));
    return this.underWay;
  }

  private async renew(isReconnected: boolean): Promise<void> {
    const { state, alive, epoch } = await this.renewed();
    this.renewedAt = Date.now();
    const isForgotten = this.epoch !== undefined && this.epoch !== epoch;
    const isKnown = this.epoch !== undefined;
    this.epoch = epoch;
    if (isKnown && (state === 'new' || isReconnected)) await this.announce(isForgotten);
    await this.about?.compare(alive);
    this.node.others = alive - 1;
    await this.takeOutTheDead();
    // Others may not have said yet what they hold.
    if (Date.now() > this.incompleteUntil) await this.nodes?.tellMissed();
  }

  private async renewed(): Promise<{ state: string; alive: number; epoch: string }> {
    const { keys, settings } = this.redis;
    const names = ['leases', 'dying', 'about', 'epoch'].map((kind) => keys.ofNodes(kind));
    const args = [this.node.id, Math.round(settings.leaseSeconds * 1000), this.about?.mine ?? ''];
    for (;;) {
      const answer = await this.redis.run(scripts.renew, names, args);
      const [state, alive, epoch] = answer as [string, number, string];
      if (state !== 'dying') return { state, alive, epoch };
      await new Promise((resolve) => setTimeout(resolve, dyingPollMs));
    }
  }

  private async announce(isForgotten: boolean): Promise<void> {
    if (isForgotten) {
      this.logger.warn('Redis has lost what it knew: what this process holds is said again');
      this.incompleteUntil = Date.now() + 2 * this.redis.settings.heartbeatSeconds * 1000;
    } else this.logger.log('What this process holds is said again');
    await this.nodes?.announce({ isForgotten });
  }

  private async takeOutTheDead(): Promise<void> {
    const { keys } = this.redis;
    const names = [keys.ofNodes('leases'), keys.ofNodes('dying')];
    for (;;) {
      const dead = (await this.redis.run(scripts.claimDead, names, [this.node.id, burialMs])) as string | null;
      if (dead === null) return;
      this.logger.warn(`Process ${dead} is dead: what it held is taken out`);
      await this.nodes?.takeOut(dead);
      await this.redis.run(scripts.bury, [...names, keys.ofNodes('about')], [dead]);
    }
  }

  private failed(error: unknown): void {
    // That Redis is away was said already; the next beat tries again, over a connection that is not dead without a word.
    if (error instanceof Unavailable) return error.isTimeout ? this.redis.reconnect() : undefined;
    this.logger.error(`The lease of this process was not renewed: ${String(error)}`);
  }
}
