import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ClaimedPublish } from '../outbox/publish.outbox.js';
import { FanOut } from './fan-out.js';
import { FanOutPorts } from './fan-out.ports.js';
import { Lease, LeaseLost } from './lease.js';

/** How long a publish rests after a storage error, in milliseconds. */
const restMs = 5000;

/** The factor by which publishes under way may exceed `concurrentPublishes` when most of them only wait for answers. */
const mostDraining = 10;

/**
 * Claims due publishes and works on several at a time, each for a turn: while others wait, a publish that had its turn
 * goes to the end of the queue, so that a large publish never holds up a small one.
 */
@Injectable()
export class FanOutWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Fan-out');
  private readonly name = randomUUID();
  private readonly turns = new Set<Promise<void>>();
  /** The publishes under way. Those that only wait for answers do not take a slot, but their number is limited. */
  private readonly working = new Set<ClaimedPublish>();
  private claims = 0;
  private claiming?: Promise<void>;
  /** Whether new work may have arrived since the last look began. */
  private woken = false;
  private poll?: NodeJS.Timeout;
  private unwatch?: () => Promise<void>;
  /** Whether the next look, if it finds nothing else, asks other workers for a range of their publish. */
  private isAsking = false;
  private stopping = false;

  constructor(private readonly ports: FanOutPorts) {}

  onApplicationBootstrap(): void {
    if (!this.ports.settings.worker) return;
    // The timer stays referenced: a worker-only process has nothing else on the loop.
    this.poll = setInterval(() => this.lookRound(), this.ports.settings.pollMs);
    this.unwatch = this.ports.outbox.watch(() => this.wake());
    this.wake();
  }

  /** Before the other providers shut down: a page under way still needs the gateways and the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.poll);
    await this.unwatch?.();
    await this.claiming;
    await Promise.all(this.turns);
  }

  /** Looks for work now instead of at the next poll. */
  wake(): void {
    if (this.stopping || !this.poll) return;
    this.woken = true;
    this.claiming ??= this.fill().finally(() => this.filled());
  }

  private lookRound(): void {
    this.isAsking = true;
    this.wake();
  }

  private async fill(): Promise<void> {
    try {
      while (this.woken && !this.stopping) {
        this.woken = false;
        while (!this.stopping && this.hasRoom() && (await this.claimOne()));
        if (this.isAsking) await this.ask();
      }
    } catch (error) {
      this.woken = false;
      this.logger.error('Could not claim a publish; trying again at the next poll', error);
    }
  }

  /** Not at every wake: most publishes finish before sharing them pays off. */
  private async ask(): Promise<void> {
    this.isAsking = false;
    const { outbox, settings, now } = this.ports;
    if (this.turns.size === 0 && !this.stopping) await outbox.ask(now(), settings.leaseMs);
  }

  private filled(): void {
    this.claiming = undefined;
    if (this.woken) this.wake();
  }

  private hasRoom(): boolean {
    const { concurrentPublishes } = this.ports.settings;
    const { size } = this.turns;
    return this.working.size < concurrentPublishes && size < concurrentPublishes * mostDraining;
  }

  private async claimOne(): Promise<boolean> {
    const { outbox, settings, now, steady } = this.ports;
    const owner = `${this.name}/${(this.claims += 1)}`;
    const askedAt = steady();
    // Two ranges of a publish in one process would be no faster, and a crash would repeat two pages.
    const mine = [...this.working].map(({ publish }) => publish.id);
    const claimed = await outbox.claim(owner, now(), settings.leaseMs, mine);
    if (claimed) {
      const { leaseMs } = settings;
      this.begin(new Lease(outbox, owner, claimed.publish.id, leaseMs, askedAt + leaseMs, { now, steady }), claimed);
    }
    return claimed !== undefined;
  }

  private begin(lease: Lease, claimed: ClaimedPublish): void {
    const turn = this.turn(lease, claimed).finally(() => {
      this.turns.delete(turn);
      this.wake();
    });
    this.turns.add(turn);
  }

  private async turn(lease: Lease, claimed: ClaimedPublish): Promise<void> {
    const over = this.ports.steady() + this.ports.settings.turnMs;
    this.working.add(claimed);
    const onDraining = (): void => {
      this.working.delete(claimed);
      this.wake();
    };
    const yields = (): boolean => this.stopping || (!this.hasRoom() && this.ports.steady() >= over);
    try {
      await new FanOut(this.ports, lease, claimed, onDraining).run(yields);
    } catch (error) {
      await this.failed(lease.owner, claimed.publish.id, error);
    }
    this.working.delete(claimed);
  }

  private async failed(owner: string, publishId: string, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) return this.logger.warn(error.message);
    this.logger.error(`Publish ${publishId} was interrupted and will go on in ${restMs / 1000} s`, error);
    try {
      await this.ports.outbox.release(owner, publishId, this.ports.now() + restMs);
    } catch {
      this.logger.warn(`Publish ${publishId} stays leased until its lease runs out`);
    }
  }
}
