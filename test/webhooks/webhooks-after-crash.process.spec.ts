import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from 'rookery/internal/typeorm';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { describeNode } from '../support/services.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

vi.setConfig({ testTimeout: 120_000 });

/** Longer than a lease and two heartbeats. */
const leaseMs = 40_000;

interface Story {
  readonly environment: Readonly<Record<string, string>>;
  readonly newDatabase: (folder: string) => string | Promise<string>;
  /** Whether other processes know what a dead one held; otherwise the database keeps what was announced. */
  readonly isShared?: boolean;
}

function stories({ environment, newDatabase, isShared = false }: Story): void {
  let folder: string;
  let receiver: WebhookReceiver;
  let databaseUrl: string;
  let server: ServerProcess | undefined;

  beforeAll(buildServer, 180_000);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rookery-crash-'));
    databaseUrl = await newDatabase(folder);
    receiver = await WebhookReceiver.start();
    const events = ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'];
    const apps = [{ ...testApp, webhooks: [{ url: receiver.url('/hook'), events }] }];
    const channels = { webhooks: { returnMs: 4000, holdMs: 200 } };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify({ apps, channels }));
  });
  afterEach(async () => {
    await server?.kill();
    await receiver.close();
    rmSync(folder, { recursive: true });
  });

  const start = async (): Promise<ServerProcess> =>
    (server = await ServerProcess.start({
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: databaseUrl,
      ...environment,
    }));
  const joined = async (userId: string): Promise<SocketClient> => {
    const client = await SocketClient.connect(server!.port, testApp);
    await client.subscribe('presence-room', { user_id: userId, user_info: { name: userId.toUpperCase() } });
    return client;
  };
  const told = (): readonly string[] =>
    receiver.events('/hook').map(({ name, channel, user_id: userId = '' }) => `${name} ${channel} ${userId}`.trim());
  /** Also that no webhook is left to be sent again. */
  const areAnnounced = async (count: number): Promise<boolean> =>
    isShared ? (await rows('rookery_jobs')) === 0 : (await announced()) === count;
  const announced = (): Promise<number> => rows('rookery_announcements');
  const rows = async (table: string): Promise<number> => {
    const database = await openDatabase(databaseUrl);
    const found = await database.read(`SELECT 1 FROM ${table}`);
    await database.close();
    return found.length;
  };
  const users = async (): Promise<readonly string[]> => {
    const { url } = signed('GET', '/channels/presence-room/users');
    const { users: all } = (await (await fetch(server!.url + url)).json()) as { users: { id: string }[] };
    return all.map(({ id }) => id).toSorted();
  };

  it('reports gone after a crash who has not returned, and nothing of who has; a clean stop leaves nothing', async () => {
    await start();
    await Promise.all(['alice', 'bob'].map(joined));
    await (await SocketClient.connect(server!.port, testApp)).subscribe('news');
    await until(() => told().length === 4, 'all are reported');
    await until(() => areAnnounced(4), 'that is kept');
    await server!.kill();

    await start();
    const alice = await joined('alice');
    await until(() => told().length >= 6, 'the others are reported gone', leaseMs);
    expect(told().slice(4).toSorted()).toEqual(['channel_vacated news', 'member_removed presence-room bob']);
    expect(await users()).toEqual(['alice']);
    await until(() => areAnnounced(2), 'only what is there is kept');

    alice.close();
    await until(() => told().length >= 8, 'all are reported gone');
    expect(told().slice(6).toSorted()).toEqual(['channel_vacated presence-room', 'member_removed presence-room alice']);
    await until(() => areAnnounced(0), 'nothing is kept');

    await joined('carol');
    await until(async () => told().length === 10 && (await areAnnounced(2)), 'she is reported and kept');
    expect(await server!.stop()).toBe(0);
    expect(await announced()).toBe(0);
    await until(() => told().length === 12, 'all is reported gone');
  });
}

const sqlite = (folder: string): string => `sqlite:${join(folder, 'rookery.db')}`;

describeNode('webhooks of a server with SQLite', () => stories({ environment: {}, newDatabase: sqlite }));
describeNode('webhooks of a server with workers', () =>
  stories({ environment: { WORKERS: '2' }, newDatabase: sqlite }),
);
describePostgres('webhooks of a server with PostgreSQL and no Redis', () =>
  stories({ environment: {}, newDatabase: newPostgresDatabase, isShared: true }),
);
