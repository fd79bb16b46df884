import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { hashOf, Unavailable } from '#common';
import { Database } from '../../database/database.js';

/** How processes share their state in PostgreSQL, in seconds: as on Redis. */
export const sharing = { heartbeatSeconds: 5, leaseSeconds: 15, outageSeconds: 30 };

/** How many lanes the channels have, and behind them the rooms. */
export const lanes = 64;
const longestPauseMs = 1000;

/** The lane of a channel's state. */
export const laneOf = (appId: string, name: string): number => hashOf(`${appId} ${name}`) % lanes;

/** Runs statements on what processes share, and knows when it may lack some of their entries. */
@Injectable()
export class SharedDatabase {
  private readonly logger = new Logger('Storage');
  private awaySince: number | undefined;
  /** How often the database has been away. */
  breaks = 0;
  private isLedgerUnknown = false;
  private ledgerCompleteAt = 0;
  private readonly reconnected: (() => Promise<void>)[] = [];
  private rejoining: Promise<void> | undefined;
  private takenForDead: (() => void) | undefined;
  private isClosed = false;

  private readonly letGo: () => Promise<void>;

  constructor(private readonly database: Database) {
    this.letGo = database.keepOpen();
  }

  /** Adds a callback for when the database is back: it may have lost this process's entries. */
  onReconnect(reconnected: () => Promise<void>): void {
    this.reconnected.push(reconnected);
  }

  /** Registers the callback for refusals: other processes considered this one dead. */
  onTakenForDead(takenForDead: () => void): void {
    this.takenForDead = takenForDead;
  }

  /**
   * The database may lack what this process holds: work on it waits for the announcement, which states what was held when
   * it began.
   */
  ledgerIsUnknown(): void {
    this.isLedgerUnknown = this.reconnected.length > 0;
  }

  /** As in {@link LeaseStore}. */
  ledgerIsBack(completeAt: number, breaks: number): void {
    if (breaks === this.breaks) this.isLedgerUnknown = false;
    this.ledgerCompleteAt = completeAt;
  }

  close(): void {
    this.isClosed = true;
    void this.letGo();
  }

  /** @throws Unavailable when the database is away */
  read<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.watched(this.database.read<Row>(text, parameters));
  }

  /**
   * Runs one statement, or fails at once.
   * @throws Unavailable when the database is away: the statement may or may not have run
   */
  run<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.watched(this.database.execute<Row>(text, parameters));
  }

  /**
   * Runs a statement that may be run twice, repeatedly while the database is away.
   * @throws Unavailable when it was away for longer than processes wait
   */
  insist<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.patiently(() => this.run<Row>(text, parameters));
  }

  /** The same for work on shared state, which waits until all processes have announced theirs. */
  insistOnAll<T>(work: () => Promise<T>): Promise<T> {
    return this.patiently(async () => {
      if (this.isLedgerUnknown) this.rejoin();
      if (this.isLedgerUnknown || performance.now() < this.ledgerCompleteAt)
        throw new Unavailable('The database', new Error('It has lost its memory'));
      return work();
    });
  }

  /** Reports that the database refused a call: other processes considered this one dead. */
  refused(): Unavailable {
    this.takenForDead?.();
    return new Unavailable('The database', new Error('GONE This process was taken for dead'));
  }

  /** Repeats work that may be repeated while the database is away. @throws Unavailable as {@link insist} */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + sharing.outageSeconds * 1000;
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Unavailable) || this.isClosed || performance.now() + pauseMs > until) throw error;
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** Renews the lease, which finds out what the database has. */
  private rejoin(): void {
    this.rejoining ??= Promise.all(this.reconnected.map((each) => each()))
      .then(() => undefined)
      .finally(() => (this.rejoining = undefined));
  }

  private async watched<T>(running: Promise<T>): Promise<T> {
    try {
      const result = await running;
      this.isBack();
      return result;
    } catch (error) {
      if (error instanceof Unavailable) this.isAway(error);
      throw error;
    }
  }

  private isAway({ message }: Unavailable): void {
    if (this.awaySince !== undefined || this.isClosed) return;
    this.awaySince = performance.now();
    this.breaks++;
    this.isLedgerUnknown = this.reconnected.length > 0;
    this.logger.warn(`${message}: clients stay connected; work that needs shared state waits or is refused`);
  }

  private isBack(): void {
    if (this.awaySince === undefined) return;
    this.logger.log(`The database is back after ${((performance.now() - this.awaySince) / 1000).toFixed(1)} s`);
    this.awaySince = undefined;
  }
}
