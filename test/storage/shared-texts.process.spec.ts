import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { previousRelease, unpackPreviousRelease } from '../support/previous-release.js';
import { describeInstalled } from '../support/programs.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';

const long = 'x'.repeat(10_000);
const channels = ['cache-a', 'cache-b', 'cache-c'];

describeInstalled('tar')(
  `an event of several channels, read by release ${previousRelease} and by this one again`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-shared-texts-'));
    let previous: ReturnType<typeof unpackPreviousRelease>;
    let server: ServerProcess | undefined;
    beforeAll(async () => {
      previous = unpackPreviousRelease();
      await buildServer();
    }, 180_000);
    afterAll(async () => {
      await server?.kill();
      for (const each of [folder, previous.folder]) rmSync(each, { recursive: true });
    });

    async function start(program?: string): Promise<void> {
      expect(await server?.stop()).toBe(server && 0);
      const file = join(folder, 'rookery.json');
      writeFileSync(file, JSON.stringify({ apps: [testApp] }));
      const environment = { CONFIG_FILE: file, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
      server = ServerProcess.launch(environment, program);
      await server.listens();
    }

    async function trigger(names: string[], data: string): Promise<void> {
      const { id: appId, key, secret } = testApp;
      await new Pusher({ appId, key, secret, host: '127.0.0.1', port: new URL(server!.url).port }).trigger(
        names,
        'e',
        data,
      );
    }

    /** The data of the event of this name that a new subscriber is sent. */
    async function lastEvent(channel: string, name = 'e'): Promise<unknown> {
      const client = await SocketClient.connect(Number(new URL(server!.url).port));
      await client.subscribe(channel);
      const { data } = await client.next(name);
      client.close();
      return data;
    }

    it('is a gap there, and itself here, unless there was a newer one', async () => {
      await start();
      await trigger(channels, long);
      for (const channel of channels) expect(await lastEvent(channel)).toBe(long);

      await start(previous.command);
      for (const channel of channels) expect(await lastEvent(channel, 'rookery:gap')).toBe(JSON.stringify({ channel }));
      await trigger(['cache-b'], 'newer');
      expect(await lastEvent('cache-b')).toBe('newer');

      await start();
      expect(await lastEvent('cache-a')).toBe(long);
      expect(await lastEvent('cache-b')).toBe('newer');
    }, 120_000);
  },
);
