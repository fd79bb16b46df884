import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Client } from '../client.js';
import { app, channels } from '../cluster-options.js';
import type { Failure } from '../failures.js';
import { subjectOf } from '../owed-webhooks.js';
import type { Record } from '../record.js';
import type { PostgresCluster } from './cluster.js';
import type { Postgres } from './postgres.js';
import type { PostgresServer } from './server.js';

/** For this time before a crash, at most, what the server commits does not reach the nodes. */
const silentMs = 900;
/** Until all nodes have noticed that it is back, and have announced what they hold: leases have heartbeats. */
const wholeMs = 25_000;
/** For this time after that, webhooks may be about it: a node may be paused. */
const webhooksMs = 30_000;

/** What failures are about. */
export interface PostgresFailureParts {
  readonly world: World;
  readonly postgres: Postgres;
  readonly server: PostgresServer;
  readonly cluster: PostgresCluster;
  readonly record: Record;
  readonly clients: readonly Client[];
}

interface Lost {
  /** Changes since then are lost. */
  readonly since: number;
  readonly lose: () => void;
}

/** Lets PostgreSQL fail, one time after the other. */
export class PostgresFailures {
  readonly all: Failure[] = [];
  private isFailing = false;
  /** How often it has come back. */
  private failures = 0;
  private mended: ((now: number) => void)[] = [];

  constructor(private readonly parts: PostgresFailureParts) {}

  mayRepeat(at: number): boolean {
    return this.all.some(({ from, wholeAt }) => from <= at && at <= wholeAt + webhooksMs);
  }

  /** It fails over to a replica that lacks the latest. */
  failOver(lagMs: number, awayMs: number): void {
    const { world, server, postgres, record, clients } = this.parts;
    if (this.isFailing) return;
    this.isFailing = true;
    server.whenFree(() => {
      postgres.replicate();
      const since = world.now;
      const failOver = (): void => {
        record.lose(since);
        for (const client of clients) client.isForgotten(since);
        this.crash(awayMs, { since, lose: () => postgres.promoteReplica() });
      };
      world.after(lagMs, () => this.silently(failOver), world.outside);
    });
  }

  /** It is away. If it crashes, unlogged tables are empty; otherwise it may only hang. */
  goDown(awayMs: number, crashes: boolean): void {
    const { world, server, postgres } = this.parts;
    if (this.isFailing) return;
    this.isFailing = true;
    if (crashes)
      return this.silently(() => this.crash(awayMs, { since: Infinity, lose: () => postgres.emptyUnlogged() }));
    if (world.random('hangs').below(2) > 0) {
      world.pause(server.party);
      return this.isDown(awayMs, () => world.resume(server.party));
    }
    return this.silently(() => {
      server.goAway();
      this.isDown(awayMs, () => server.comeBack());
    });
  }

  /** The last that it commits may be on the way to nodes when it goes away. */
  private silently(work: () => void): void {
    const { world, cluster } = this.parts;
    const random = world.random('silences');
    const forMs = random.below(2) * random.below(silentMs);
    if (forMs > 0) cluster.silence(forMs);
    world.after(forMs, work, world.outside);
  }

  /**
   * Unlogged tables are empty, and with a failover the latest commits are lost. Webhooks of that time may be sent twice,
   * and clients may be told twice of members. Otherwise, what is committed stays, so it loses nothing to be away.
   */
  private crash(awayMs: number, { since, lose }: Lost): void {
    const { world, server, cluster, record } = this.parts;
    server.goAway();
    cluster.loseCarried();
    lose();
    this.mended.push(record.cut(world.now, true));
    this.all.push({ from: world.now, wholeAt: Infinity, since, owed: cluster.owed });
    this.isDown(awayMs, () => server.comeBack());
  }

  private isDown(awayMs: number, comesBack: () => void): void {
    const { world } = this.parts;
    const isBack = (): void => {
      world.note('PostgreSQL is back');
      comesBack();
      this.isFailing = false;
      const failures = (this.failures += 1);
      world.after(wholeMs, () => this.isWhole(failures), world.outside);
    };
    world.after(awayMs, isBack, world.outside);
  }

  /** Unless it has failed again meanwhile. */
  private isWhole(failures: number): void {
    if (this.isFailing || failures !== this.failures) return;
    const { now } = this.parts.world;
    for (const mended of this.mended.splice(0)) mended(now);
    const present = this.subjects;
    for (const each of this.all) {
      if (each.wholeAt !== Infinity) continue;
      each.wholeAt = now;
      if (each.since !== undefined) each.present = present;
    }
  }

  /** The channels and their members that it has. */
  private get subjects(): ReadonlySet<string> {
    const { server } = this.parts;
    const counts = server.rows(`SELECT channel FROM rookery_channel_counts WHERE app_id = '${app.id}'`);
    const members = server.rows(`SELECT name, user_id FROM rookery_present_users WHERE app_id = '${app.id}'`);
    const known = new Set<string>(channels);
    return new Set([
      ...counts.flatMap(([channel]) => (known.has(channel!) ? [channel!] : [])),
      ...members.flatMap(([name, user]) => (known.has(name!) ? [subjectOf(name!, user!)] : [])),
    ]);
  }
}
