import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const app = { id: 'app-id', key: 'app-key', secret: 'app-secret' };

let folder: string;
let receiver: WebhookReceiver;
let server: ServerProcess;
beforeAll(buildServer, 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-stopping-'));
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await server.kill();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const config = { apps: [{ ...app, webhooks: [{ url: receiver.url('/hook') }] }] };
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
  server = await ServerProcess.start({
    CONFIG_FILE: join(folder, 'rookery.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    ...environment,
  });
}

const kinds = ['events', 'batch_events'] as const;
const roomOf = (kind: (typeof kinds)[number]): string => `presence-${kind}`;

/** Clients that have subscribed; with WORKERS, of all of them. */
async function subscribed(count: number): Promise<readonly SocketClient[]> {
  const all = await Promise.all(Array.from({ length: count }, () => SocketClient.connect(server.port, app)));
  const rooms = kinds.map(roomOf);
  await Promise.all(all.flatMap((client, n) => rooms.map((room) => client.subscribe(room, { user_id: `user-${n}` }))));
  return all;
}

const numbersOf = ({ frames }: SocketClient, room: string): readonly number[] =>
  frames.filter(({ event, channel }) => event === 'number' && channel === room).map(({ data }) => Number(data));

describe.each([
  ['one process', {}],
  ['workers', { WORKERS: '2' }],
] as const)('%s that stops under triggers', (_, environment) => {
  it('delivers all events that it accepts, each to all clients, and tells of no client twice', async () => {
    await start(environment);
    const clients = await subscribed(8);
    const loads = kinds.map((kind) => {
      const load = new TriggerLoad({ port: server.port, app, channel: roomOf(kind), kind });
      return { room: roomOf(kind), load };
    });
    await until(() => loads.every(({ load }) => load.accepted.length > 100), 'triggers are accepted');
    server.signal('SIGTERM');
    expect(await server.exit()).toBe(0);
    for (const { load } of loads) await load.stop();
    for (const client of clients) {
      expect(await client.closing()).toMatchObject({ code: 4100 });
      for (const { room, load } of loads) {
        const heard = new Set(numbersOf(client, room));
        expect(load.accepted.filter((n) => !heard.has(n))).toEqual([]);
      }
    }
    for (const { load } of loads) expect(load.refused.filter(({ retryAfter }) => retryAfter === undefined)).toEqual([]);
    const names = receiver.events('/hook').map(({ name }) => name as string);
    expect(names.filter((name) => name === 'member_removed')).toHaveLength(8 * kinds.length);
    expect(names.filter((name) => name === 'channel_vacated')).toHaveLength(kinds.length);
  }, 60_000);
});
