import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from 'rookery/internal/typeorm';
import { testApp } from '../support/channels-server.js';
import { preload } from '../support/node-options.js';
import { startPostgres } from '../support/postgres.js';
import { instance } from '../support/push-app.js';
import { TestRedis } from '../support/redis.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

/** What a server and its store hold at a time. Memory is in MB, after a forced collection. */
export interface Held {
  readonly heap: number;
  /** What is resident beside V8's heap, whose free pages come and go. */
  readonly native: number;
  /** What is resident, less V8's young generation: V8 gives that 2 to 32 MB, however little survives in it. */
  readonly rss: number;
  readonly descriptors: number;
  readonly timers: number;
  /** Rows of all tables that do not wait for the sweep of old publishes, which runs every ten minutes. */
  readonly rows: number;
  /** Rows of finished publishes and their outcomes. */
  readonly oldPublishes: number;
  readonly redisKeys: number;
}

interface Surroundings {
  /** Of a webhook receiver. */
  readonly webhookUrl: string;
  readonly fcm: unknown;
}

interface Printed extends NodeJS.MemoryUsage {
  /** What V8's young generation has resident. */
  readonly young: number;
  readonly timers: number;
  readonly descriptors: number;
}

/** A server of users, in a process of its own with a store of its own, that is watched for a long time. */
export class SoakedServer {
  private reloads = 0;

  private constructor(
    readonly process: ServerProcess,
    private readonly folder: string,
    private readonly surroundings: Surroundings,
    private readonly database: Database,
    private readonly redis: TestRedis | undefined,
    private readonly stopStore: () => Promise<void>,
  ) {}

  /** With the embedded database, and everything else in memory. */
  static async embedded(surroundings: Surroundings): Promise<SoakedServer> {
    const folder = newFolder();
    return SoakedServer.start(folder, surroundings, `sqlite:${join(folder, 'rookery.db')}`, undefined, async () => {});
  }

  /** With Redis and PostgreSQL. */
  static async shared(surroundings: Surroundings): Promise<SoakedServer> {
    const [redis, postgres] = await Promise.all([TestRedis.start(), startPostgres()]);
    return SoakedServer.start(newFolder(), surroundings, postgres.url, redis, async () => {
      await Promise.all([redis.stop(), postgres.stop()]);
    });
  }

  private static async start(
    folder: string,
    surroundings: Surroundings,
    databaseUrl: string,
    redis: TestRedis | undefined,
    stopStore: () => Promise<void>,
  ): Promise<SoakedServer> {
    writeFileSync(join(folder, 'rookery.json'), configuration(surroundings, 0));
    const server = await ServerProcess.start({
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: databaseUrl,
      ALLOW_PRIVATE_NETWORK: 'true',
      NODE_OPTIONS: preload(join(import.meta.dirname, 'memory-on-signal.cjs')),
      ...(redis && { REDIS_URL: redis.url }),
    });
    const database = await openDatabase(databaseUrl);
    return new SoakedServer(server, folder, surroundings, database, redis, stopStore);
  }

  /** Changes the configuration file and has it read: an app comes or goes, and a limit changes. */
  reload(): void {
    const file = join(this.folder, 'rookery.json');
    writeFileSync(`${file}.new`, configuration(this.surroundings, ++this.reloads));
    renameSync(`${file}.new`, file);
    this.process.signal('SIGHUP');
  }

  async held(): Promise<Held> {
    this.process.output = '';
    this.process.signal('SIGWINCH');
    const line = /collected (\{.*\})\n/;
    await until(() => line.test(this.process.output), 'the server collects its garbage', 60_000);
    const { rss, heapTotal, heapUsed, young, timers, descriptors } = JSON.parse(
      line.exec(this.process.output)![1]!,
    ) as Printed;
    const tables = await this.rowsOfTables();
    const sum = (areOld: boolean) =>
      tables.filter(([name]) => isOfOldPublishes(name) === areOld).reduce((all, [, rows]) => all + rows, 0);
    return {
      heap: heapUsed / 2 ** 20,
      native: (rss - heapTotal) / 2 ** 20,
      rss: (rss - young) / 2 ** 20,
      descriptors,
      timers,
      rows: sum(false),
      oldPublishes: sum(true),
      redisKeys: Number((await this.redis?.command('DBSIZE')) ?? 0),
    };
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await this.database.dataSource.destroy();
    await this.stopStore();
    rmSync(this.folder, { recursive: true });
  }

  private async rowsOfTables(): Promise<readonly (readonly [name: string, rows: number])[]> {
    const names = this.database.dataSource.entityMetadatas.map(({ tableName }) => tableName);
    return Promise.all(
      names.map(async (name) => {
        const [row] = await this.database.read<{ rows: string | number }>(`SELECT count(*) AS rows FROM ${name}`);
        return [name, Number(row!.rows)] as const;
      }),
    );
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'rookery-soak-'));

const isOfOldPublishes = (table: string): boolean => /publish|outcome|report/.test(table);

function configuration({ webhookUrl, fcm }: Surroundings, reloads: number): string {
  const app = {
    ...testApp,
    clientEvents: true,
    subscriptionCount: true,
    history: [{ channels: 'private-a', events: 100 }],
    webhooks: [{ url: webhookUrl }],
    limits: { presenceMembers: 100 + (reloads % 2) },
  };
  const comesAndGoes = { id: 'other', key: 'other-key', secret: 'other-secret' };
  return JSON.stringify({
    apps: reloads % 2 ? [app, comesAndGoes] : [app],
    instances: [{ ...instance, fcm }],
    // Old publishes go with the next sweep, which comes every ten minutes.
    publish: { retentionMs: 60_000, outcomeRetentionMs: 60_000 },
  });
}
