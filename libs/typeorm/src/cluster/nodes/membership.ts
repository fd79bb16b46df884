import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listeningClient, type PostgresClient } from '../../database/postgres-client.js';
import { assertListening } from './listen-check.js';

/** An advisory lock of the whole database; the number is arbitrary, but must be unique. */
const lock = '7665541';
const notice = 'rookery_nodes';
/** How often a process that is alone checks that it still has its lock, in milliseconds. */
const checkMs = 2000;
/** How long a check lasts. A process that joins waits longer than this for one that does not answer. */
const soleMs = 4000;
const joinMs = 6000;
const reconnectMs = 1000;

const onSqlite =
  'PostgresClusterModule: the database of TypeOrmStorageModule is SQLite, which connects no processes: name PostgreSQL, ' +
  "TypeOrmStorageModule.forRoot({ url: 'postgres://…' }), or use RedisModule.forRoot({ url })";

/**
 * Whether this process is alone on the database: then its messages need no database to reach all subscribers.
 *
 * A process that is alone holds the lock exclusively, others share it. One that joins notifies the one that is alone,
 * and its first subscriptions wait until the lock is shared. The lock ends with its connection, so nothing waits for a
 * process that was killed; one that is stopped loses its exclusive right after {@link soleMs} by its own clock, before
 * the other goes on without it.
 */
@Injectable()
export class Membership implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private readonly stopping = new AbortController();
  private client: PostgresClient | undefined;
  private keeping: Promise<void> | undefined;
  private soleUntil = -Infinity;
  /** Whether it was alone when its connection ended. */
  private wasAlone = false;
  private mayBeAlone = true;
  /** Whether it went on alone without its lock: another process may have been alone, too. */
  private wentOn = false;
  /** The live processes, this one included. */
  alive = 1;
  private wake = (): void => undefined;
  private settle = (): void => undefined;
  /** Resolves when every other process carries its messages through the database. */
  readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

  /** Resolves when nothing is being written that only this process delivers. */
  beforeSharing: () => Promise<void> = async () => undefined;
  /** Called when all others carry their messages for this process: it may have missed some until now. */
  joined: () => void = () => undefined;
  /** Called when others may be alone. */
  left: () => void = () => undefined;
  /** Called where this process delivers itself what others miss, so that these notice it when they are back. */
  beginAnew: () => Promise<void> = async () => undefined;

  constructor(private readonly database: Database) {}

  /** @throws Error on SQLite, DatabaseUnavailable where notifications do not arrive */
  static async of(database: Database): Promise<Membership> {
    if (database.dialect.name !== 'postgres') throw new Error(onSqlite);
    await assertListening(database);
    return new Membership(database);
  }

  /** Whether no other process needs this one's messages now. */
  get isAlone(): boolean {
    return performance.now() < this.soleUntil;
  }

  async onModuleInit(): Promise<void> {
    const first = new Promise<void>((resolve) => {
      this.keeping = this.keep(resolve);
    });
    await first;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.soleUntil = -Infinity;
    this.wake();
    await this.client?.end().catch(() => undefined);
    await this.keeping;
  }

  /** Called with each lease: how many processes are alive. */
  counted(alive: number): void {
    this.alive = alive;
    this.mayBeAlone = alive <= 1;
    if (this.mayBeAlone !== this.isAlone) this.wake();
  }

  private async keep(connected: () => void): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const client = await this.connect();
      if (client) {
        this.wasAlone = false;
        await this.hold(client, connected).catch((error: unknown) => this.failed(error));
      }
      // Nor can another process join while the database is away.
      const goesOn = this.wasAlone && !client;
      this.soleUntil = goesOn ? Infinity : -Infinity;
      this.wentOn ||= goesOn;
      connected();
      await this.client?.end().catch(() => undefined);
      await sleep(reconnectMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Undefined while the database is away. */
  private async connect(): Promise<PostgresClient | undefined> {
    const client = listeningClient(this.database.dataSource, { keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
    this.client = client;
    client.on('error', () => undefined);
    try {
      // Ended meanwhile, it would never answer.
      await Promise.race([client.connect(), new Promise((resolve) => client.once('end', resolve))]);
      this.soleUntil = -Infinity;
      // It waits for the lock as long as another process has it, whatever time the operator gives statements.
      await client.query('SET statement_timeout = 0');
      await client.query(`LISTEN ${notice}`);
      return client;
    } catch {
      return undefined;
    }
  }

  /** Holds the lock until its connection ends. */
  private async hold(client: PostgresClient, connected: () => void): Promise<void> {
    const lost = new Promise<never>((_, reject) => {
      client.once('end', () => reject(new Error('its connection has ended'))).on('error', reject);
    });
    // Another process may have the lock at once.
    client.once('end', () => {
      this.wasAlone = this.isAlone;
      this.soleUntil = -Infinity;
      this.left();
    });
    lost.catch(() => undefined);
    client.on('notification', () => {
      this.mayBeAlone = false;
      this.wake();
    });
    while (!this.stopping.signal.aborted) {
      if (this.mayBeAlone && (await ask(client, `pg_try_advisory_lock(${lock})`)))
        await this.beAlone(client, connected);
      else await this.share(client, connected, lost);
    }
  }

  private failed(error: unknown): void {
    if (!this.stopping.signal.aborted) this.logger.warn(`This process has lost its lock: ${String(error)}`);
  }

  /** Until another process joins. */
  private async beAlone(client: PostgresClient, connected: () => void): Promise<void> {
    this.settle();
    this.joined();
    let hasBegun = false;
    while (this.mayBeAlone && !this.stopping.signal.aborted) {
      // Until it succeeds, messages are carried as if there were others.
      hasBegun ||= await this.begins();
      const askedAt = performance.now();
      await client.query('SELECT 1');
      // One that joined while this process was stopped has gone on without it. Its notice came before the answer.
      if (!this.mayBeAlone) break;
      if (hasBegun) this.soleUntil = askedAt + soleMs;
      connected();
      await this.change(checkMs);
    }
    // Before the lock is given up: what is published from here on is carried.
    this.soleUntil = -Infinity;
    await this.beforeSharing();
    await client.query(`SELECT pg_advisory_unlock(${lock})`);
  }

  /** Until this process is the only one that is alive. */
  private async share(client: PostgresClient, connected: () => void, lost: Promise<never>): Promise<void> {
    this.mayBeAlone = false;
    connected();
    await client.query(`NOTIFY ${notice}`);
    // A process that is alone and does not answer in time is so no more.
    const patience = sleep(joinMs, undefined, { ref: false });
    void patience.then(this.settle);
    const granted = client.query(`SELECT pg_advisory_lock_shared(${lock})`);
    await Promise.race([granted, patience, lost]);
    this.settle();
    this.joined();
    await Promise.race([granted, lost]);
    if (this.wentOn) await this.begins();
    while (!this.mayBeAlone && !this.stopping.signal.aborted) await Promise.race([this.change(), lost]);
    await client.query(`SELECT pg_advisory_unlock_shared(${lock})`);
  }

  private begins(): Promise<boolean> {
    return this.beginAnew().then(
      () => {
        this.wentOn = false;
        return true;
      },
      () => false,
    );
  }

  /** Resolves at a change of what is known of others, or after a time. */
  private change(withinMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.stopping.signal.aborted) this.wake();
    });
  }
}

async function ask(client: PostgresClient, expression: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${expression} AS answer`);
  return (rows[0] as { readonly answer: boolean }).answer;
}
