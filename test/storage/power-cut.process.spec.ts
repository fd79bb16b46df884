import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from 'rookery/internal/typeorm';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { rookery } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { describePostgres, makePostgresFolder, startPostgresIn, type TestPostgres } from '../support/postgres.js';
import { describePowerCut, Journal } from '../support/power-cut/journal.js';
import { instance } from '../support/push-app.js';
import { Random } from '../support/random.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

// A killed process leaves its writes to the system, which writes them to the disk later. A power cut does not.
// `CUTS=200 npx vitest run --project services test/storage/power-cut` cuts more often.
const cuts = Number(process.env['CUTS'] ?? 8);
const random = new Random(7);

// A cut takes several seconds, and on a slow machine ten times as long.
vi.setConfig({ testTimeout: 120_000 + cuts * 60_000 });

let folder: string;
let google: StandInFcm;
let config: string;
const ending: (() => unknown)[] = [];
beforeAll(buildServer, 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-power-'));
  google = await standInFcm();
  config = join(folder, 'rookery.json');
  const settings = {
    apps: [{ ...testApp, history: [{ channels: 'kept', events: 10_000, seconds: 600 }] }],
    instances: [{ ...instance, fcm: google.credentials }],
    notifications: [{ app: testApp.id, instance: instance.id, pushAfterSeconds: 600 }],
    publish: { pollMs: 50 },
  };
  writeFileSync(config, JSON.stringify(settings));
});
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  await google.close();
  rmSync(folder, { recursive: true });
});

/** What a server has acknowledged, and where the journal was when the answer came. */
interface Acknowledged {
  readonly kind: 'event' | 'device' | 'publish' | 'notification' | 'webhook';
  readonly id: string;
  readonly moment: number;
}

const environment = (url: string) => ({ CONFIG_FILE: config, DATABASE_URL: url, ALLOW_PRIVATE_NETWORK: 'true' });

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

async function post(url: string, body: unknown): Promise<any> {
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

/** Has a server write all kinds of things at the same time, until it has acknowledged enough of each. */
async function written(server: ServerProcess, journal: Journal): Promise<readonly Acknowledged[]> {
  const all: Acknowledged[] = [];
  const acknowledged = (kind: Acknowledged['kind'], id: string) => all.push({ kind, id, moment: journal.now });
  const push = (path: string) => `${server.url}/${path}/v1/instances/${instance.id}`;
  // Nothing listens there: the webhook waits in the queue.
  const webhookUrl = `http://127.0.0.1:${await freePort()}/`;
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    event: async () => {
      const id = crypto.randomUUID();
      const answer = await overSocket(server, signed('POST', '/events', { name: 'tick', channel: 'kept', data: id }));
      if (answer.status === 200) acknowledged('event', id);
    },
    device: async () => {
      const token = crypto.randomUUID();
      await post(`${push('device_api')}/devices/fcm`, { token });
      acknowledged('device', token);
    },
    publish: async () => {
      const body = { interests: ['news'], webhookUrl, fcm: { notification: { title: 'News' } } };
      const { publishId } = await post(`${push('publish_api')}/publishes/interests`, body);
      acknowledged('publish', publishId);
      const state = async () => (await fetch(`${push('publish_api')}/publishes/${publishId}`, { headers })).json();
      await until(async () => ((await state()) as any).state === 'finished', 'the publish has finished');
      acknowledged('webhook', publishId);
    },
    notification: async () => {
      const body = { userId: 'ann', event: { name: 'message', data: {} }, push: { fcm: { data: {} } } };
      const { status, text } = await overSocket(server, signed('POST', '/notifications', body));
      if (status === 200) acknowledged('notification', JSON.parse(text).id);
    },
  };
  const enough = 30;
  const hasEnough = () => Object.keys(kinds).every((kind) => all.filter((each) => each.kind === kind).length >= enough);
  const writers = Object.values(kinds).flatMap((write) => Array.from({ length: 3 }, () => write));
  await Promise.all(
    writers.map(async (write) => {
      while (!hasEnough()) await write();
    }),
  );
  return all;
}

/** What of these the database has not. */
async function lacking(url: string, acknowledged: readonly Acknowledged[]): Promise<readonly Acknowledged[]> {
  const database = await openDatabase(url);
  const texts = async (statement: string) => (await database.read<{ readonly t: string }>(statement)).map(({ t }) => t);
  const kept = {
    event: await texts('SELECT text AS t FROM rookery_kept_events'),
    device: await texts('SELECT token AS t FROM rookery_devices'),
    publish: await texts('SELECT id AS t FROM rookery_publishes'),
    notification: await texts('SELECT id AS t FROM rookery_notifications'),
    webhook: await texts('SELECT data AS t FROM rookery_jobs'),
  };
  await database.dataSource.destroy();
  return acknowledged.filter(({ kind, id }) => !kept[kind].some((text) => text.includes(id)));
}

/** The faults that a doctor finds in the database of a server that runs on it. */
async function faultsIn(url: string): Promise<readonly unknown[]> {
  const server = await ServerProcess.start(environment(url));
  ending.push(() => server.kill());
  const { stdout, stderr } = await rookery(['doctor', '--json', '--url', server.url], environment(url));
  const { findings } = JSON.parse(stdout || `{"findings":${JSON.stringify([{ state: 'fault', stderr }])}}`);
  const found = findings as readonly { readonly about: string; readonly state: string }[];
  expect(found.map(({ about }) => about)).toContain('database');
  await server.kill();
  return found.filter(({ about, state }) => state === 'fault' && about === 'database');
}

/** A database in a folder of its own, which a power cut copies. */
interface Cuttable {
  readonly data: string;
  /** @param environment of the processes that write to the folder; @returns the database's URL */
  readonly start: (data: string, environment: Readonly<Record<string, string>>) => Promise<string>;
  readonly stop: () => Promise<void>;
  /** Whether the server writes to the folder itself. */
  readonly isEmbedded: boolean;
}

/** Runs a server, cuts the power at some moments, and answers what was lost at any of them. */
async function lostByCuts(database: Cuttable, { forgetsSyncs = false } = {}) {
  const journal = new Journal(database.data);
  ending.push(() => journal.close());
  const journalled = { ...journal.environment, ...(forgetsSyncs && { POWER_CUT_FORGETS_SYNCS: 'true' }) };
  const url = await database.start(database.data, journalled);
  const server = await ServerProcess.start({ ...environment(url), ...(database.isEmbedded && journalled) });
  ending.push(() => server.kill());
  const begun = journal.now;
  const all = await written(server, journal);
  await server.kill();
  await database.stop();
  const end = journal.now;
  const missing: Acknowledged[] = [];
  const faults: unknown[] = [];
  // A cut may leave all that was not synced: with luck, one loses nothing.
  for (let cut = 1; forgetsSyncs ? missing.length === 0 && cut <= 50 : cut <= cuts; cut++) {
    // When an answer came, or at any other moment.
    const moments = [begun + random.next() * (end - begun), all[Math.floor(random.next() * all.length)]!.moment];
    const moment = Math.floor(moments[cut % 2]!);
    const left = join(folder, `left-${cut}`);
    journal.cutAt(moment, left, random);
    const before = all.filter((each) => each.moment <= moment);
    try {
      const url = await database.start(left, {});
      if (!forgetsSyncs) faults.push(...(await faultsIn(url)));
      missing.push(...(await lacking(url, before)));
    } catch (error) {
      // A damaged database.
      faults.push(String(error));
      missing.push(...before);
    }
    await database.stop();
    rmSync(left, { recursive: true });
  }
  return { missing, faults, all };
}

const sqlite = (): Cuttable => {
  const data = join(folder, 'sqlite');
  mkdirSync(data);
  return {
    data,
    start: async (at) => `sqlite:${join(at, 'rookery.db')}`,
    stop: async () => {},
    isEmbedded: true,
  };
};

const postgres = (): Cuttable => {
  const data = join(folder, 'postgres');
  makePostgresFolder(data);
  let server: TestPostgres | undefined;
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  ending.push(stop);
  return {
    data,
    start: async (at, environment) => {
      server = await startPostgresIn(at, environment, 'shared_buffers=1MB', 'checkpoint_timeout=30s');
      return server.url;
    },
    stop,
    isEmbedded: false,
  };
};

describePowerCut('After a power cut', () => {
  it(`an embedded database has all that was acknowledged, at any of ${cuts} moments`, async () => {
    const { missing, faults, all } = await lostByCuts(sqlite());
    expect(new Set(all.map(({ kind }) => kind))).toHaveLength(5);
    expect({ missing, faults }).toEqual({ missing: [], faults: [] });
  });

  it('such a database would lack some if its writes were never synced', async () => {
    const { missing } = await lostByCuts(sqlite(), { forgetsSyncs: true });
    expect(missing.length).toBeGreaterThan(0);
  });

  describePostgres('PostgreSQL', () => {
    it(`has all that was acknowledged, at any of ${cuts} moments`, async () => {
      const { missing, faults, all } = await lostByCuts(postgres());
      expect(new Set(all.map(({ kind }) => kind))).toHaveLength(5);
      expect({ missing, faults }).toEqual({ missing: [], faults: [] });
    });

    it('would lack some if its writes were never synced', async () => {
      const { missing } = await lostByCuts(postgres(), { forgetsSyncs: true });
      expect(missing.length).toBeGreaterThan(0);
    });
  });
});
