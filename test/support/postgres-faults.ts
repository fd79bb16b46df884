import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Fault, isInABlackHole, type Reached, resetsConnections } from './network-faults.js';
import { makePostgresFolder, startPostgresIn, type TestPostgres } from './postgres.js';
import { RoughProxy } from './rough-proxy.js';

/** A PostgreSQL with a network before it. */
export class ReachedPostgres implements Reached {
  isReachable = true;
  proxy!: RoughProxy;
  private postgres!: TestPostgres;
  private readonly folder = mkdtempSync(join(tmpdir(), 'rookery-faults-'));

  static async start(): Promise<ReachedPostgres> {
    const reached = new ReachedPostgres();
    makePostgresFolder(join(reached.folder, 'data'));
    await reached.up();
    const target = (): Promise<number> =>
      reached.isReachable ? Promise.resolve(reached.port) : new Promise<never>(() => {});
    reached.proxy = await RoughProxy.start(target);
    return reached;
  }

  /** Through the network. */
  get url(): string {
    return `postgres://rookery@127.0.0.1:${this.proxy.port}/postgres`;
  }

  private get port(): number {
    return Number(new URL(this.postgres.url).port);
  }

  async command(...texts: readonly string[]): Promise<void> {
    const client = new Client(this.postgres.url);
    await client.connect();
    for (const text of texts) await client.query(text);
    await client.end();
  }

  /** Crashes, and starts again after a time: unlogged tables are empty then. */
  async crash(awayMs: number): Promise<void> {
    await this.postgres.stop();
    await delay(awayMs);
    await this.up();
  }

  async stop(): Promise<void> {
    this.proxy.stop();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async up(): Promise<void> {
    this.postgres = await startPostgresIn(join(this.folder, 'data'), {}, 'fsync=off', 'max_connections=200');
  }
}

/** Once or again and again; nothing else is cut. */
const dropsListeners: Fault<ReachedPostgres> = async (reached, random) => {
  for (let left = 1 + random.below(6); left > 0; left--) {
    await reached.command(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query LIKE 'UNLISTEN%'",
    );
    await delay(random.below(random.of([10, 100, 500])));
  }
};

/** As after a failover to a replica that is not promoted yet. */
const isReadOnly: Fault<ReachedPostgres> = async (reached, random) => {
  await reached.command('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
  await delay(500 + random.below(2000));
  await reached.command(
    'SET default_transaction_read_only = off',
    'ALTER SYSTEM RESET default_transaction_read_only',
    'SELECT pg_reload_conf()',
  );
};

const crashes: Fault<ReachedPostgres> = (reached, random) => reached.crash(random.below(1000));

export const postgresFaults: Readonly<Record<string, Fault<ReachedPostgres>>> = {
  'drops connections that listen': dropsListeners,
  'is read-only': isReadOnly,
  'is in a black hole': isInABlackHole,
  'resets connections': resetsConnections,
  crashes,
};
