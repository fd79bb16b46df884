import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const app = { id: 'one', key: 'one-key', secret: 'one-secret' };
const second = { id: 'two', key: 'two-key', secret: 'two-secret' };
const instance = { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'first' };
const start = { apps: [app], instances: [instance] };

beforeAll(buildServer, 180_000);

describe.each([1, 2])('at SIGHUP a server of %i process(es)', (workers) => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-reload-'));
  const file = join(folder, 'rookery.json');
  const write = (content: unknown): void =>
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  let server: ServerProcess;

  beforeAll(async () => {
    write(start);
    const database = `sqlite:${join(folder, 'rookery.db')}`;
    server = await ServerProcess.start({ CONFIG_FILE: file, DATABASE_URL: database, WORKERS: String(workers) });
  }, 120_000);
  afterAll(async () => {
    await server.kill();
    rmSync(folder, { recursive: true });
  });

  /** Writes the file, signals, and answers what the server says of it. */
  async function reload(content: unknown): Promise<string> {
    const before = server.output.length;
    write(content);
    server.signal('SIGHUP');
    const said = () => server.output.slice(before);
    await until(() => /CONFIG_FILE was reloaded[^\n]*\n/.test(said()), 'it says that it has read the file');
    return said();
  }

  /** One on each process: connections go to them by turns. */
  const clients = (of = app): Promise<SocketClient[]> =>
    Promise.all(Array.from({ length: workers * 2 }, () => SocketClient.connect(server.port, of)));

  /** A connection that was passed to a killed worker is never answered (docs/scaling.md). */
  async function statusOf({ id, key, secret }: typeof app): Promise<number> {
    const at = { host: '127.0.0.1', port: String(server.port), useTLS: false, timeout: 5000 };
    const pusher = new Pusher({ appId: id, key, secret, ...at });
    return (await pusher.get({ path: '/channels' }).catch((error: { status: number }) => error)).status;
  }

  async function publishStatus(secretKey: string): Promise<number> {
    const answer = await fetch(`${server.url}/publish_api/v1/instances/${instance.id}/publishes/interests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ interests: ['a'], web: { notification: { title: 'a' } } }),
    });
    return answer.status;
  }

  it('serves added and changed apps and instances, and no removed ones, in every process', async () => {
    const all = await clients();
    const lost = await clients();
    const said = await reload({
      apps: [{ ...app, clientEvents: true }, second],
      instances: [{ ...instance, secretKey: 'next' }],
    });
    expect(said).toContain(`apps: added two; changed one. instances: changed ${instance.id}`);
    expect(said).not.toContain('secret');
    for (const each of all) await each.subscribe('private-room');
    all[0]!.send({ event: 'client-hi', channel: 'private-room', data: {} });
    for (const each of all.slice(1)) await each.next('client-hi');
    for (const each of await clients(second)) each.close();
    for (let n = 0; n < workers * 2; n++) expect(await publishStatus('next')).toBe(200);
    expect(await publishStatus('first')).toBe(401);
    expect(await reload({ apps: [{ ...app, enabled: false }], instances: [] })).toContain('removed two');
    for (const each of [...all, ...lost]) expect(await each.closing()).toMatchObject({ code: 4003 });
    for (let n = 0; n < workers * 2; n++)
      expect([await statusOf(app), await statusOf(second), await publishStatus('next')]).toEqual([403, 401, 404]);
    await reload(start);
  });

  it.each([
    ['no JSON', '{ "apps": [', /cannot be read as JSON/],
    ['a setting that is none', { apps: [{ ...app, clientEvent: true }] }, /apps\[0\]\.clientEvent is not a setting/],
    ['two apps with one key', { apps: [app, { ...second, key: app.key }] }, /two apps have the key \\"one-key/],
    ['no app any more', { instances: [instance] }, /no longer contains an app/],
  ])('changes nothing for %s, and logs the reason in one line', async (_, content, fault) => {
    const [client] = await clients();
    const said = await reload(content);
    expect(said).toContain('nothing changes');
    expect(said).toMatch(fault);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect([await statusOf(app), await publishStatus('first')]).toEqual([200, 200]);
    expect(await client!.settled('pusher:error')).toEqual([]);
    expect(client!.closed).toBeUndefined();
  });

  it('names the changes that need a restart in one line', async () => {
    const said = await reload({ ...start, channels: { limits: { connections: 5 }, drainSeconds: 0 } });
    expect(said).toContain('apps and instances are unchanged');
    await until(() => server.output.includes('need a restart'), 'it says so');
    expect(server.output).toContain('These changes need a restart: channels.limits, channels.drainSeconds');
    expect(await statusOf(app)).toBe(200);
  });

  if (workers === 1) return;

  it('serves the new ones in a replaced process too', async () => {
    await reload({ ...start, apps: [app, second] });
    const [before] = server.children;
    process.kill(before!, 'SIGKILL');
    await until(() => server.children.length === workers && !server.children.includes(before!), 'another is started');
    await until(
      async () => {
        const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(second).catch(() => 0)));
        return statuses.every((status) => status === 200);
      },
      'all serve the new app',
      30_000,
    );
  });
});

it('ends a server without a configuration file, as when its terminal is closed', async () => {
  const server = await ServerProcess.start({ DATABASE_URL: 'sqlite::memory:' });
  server.signal('SIGHUP');
  expect(await server.exit()).toBe(0);
});
