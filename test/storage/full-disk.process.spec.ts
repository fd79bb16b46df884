import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { describeSmallDisk, SmallDisk } from '../support/small-disk.js';
import { SocketClient } from '../support/socket-client.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

describeSmallDisk('a server whose disk is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-full-'));
  let disk: SmallDisk;
  let server: ServerProcess;
  beforeAll(async () => {
    await buildServer();
    disk = SmallDisk.mount(16);
    const config = join(folder, 'rookery.json');
    writeFileSync(config, JSON.stringify({ apps: [{ ...testApp, history: [{ channels: 'orders' }] }] }));
    const url = `sqlite:${join(disk.folder, 'rookery.db')}`;
    server = await ServerProcess.start({ CONFIG_FILE: config, DATABASE_URL: url });
  }, 180_000);
  afterAll(async () => {
    await server.kill();
    disk.unmount();
    rmSync(folder, { recursive: true });
  });

  const readiness = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;

  it('refuses events with 503, delivers each that it accepts, and takes them again once there is room', async () => {
    const client = await SocketClient.connect(server.port);
    await client.subscribe('orders');
    const load = new TriggerLoad({ port: server.port, app: testApp, channel: 'orders', senders: 3 });
    await until(() => load.accepted.length > 20, 'events are accepted');
    disk.fill();
    await until(() => load.refused.length > 20, 'the disk is full', 60_000);
    await until(async () => (await readiness()) === 503, 'it is not ready');
    disk.clear();
    const soFar = load.accepted.length;
    await until(() => load.accepted.length > soFar + 20, 'events are accepted again');
    await until(async () => (await readiness()) === 200, 'it is ready again');
    await load.stop();
    expect(load.unanswered).toEqual([]);
    expect(new Set(load.refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(
      new Set(['503 1']),
    );
    const heard = (): ReadonlySet<string> =>
      new Set(client.frames.flatMap(({ event, data }) => (event === 'number' ? [String(data)] : [])));
    await until(() => load.accepted.every((n) => heard().has(String(n))), 'all that was accepted is heard');
    client.close();
  });
});
