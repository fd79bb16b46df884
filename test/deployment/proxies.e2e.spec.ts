import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { freePort } from '../support/free-port.js';
import { describeInstalled, pathOf } from '../support/programs.js';
import { proxies } from '../support/proxies.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

for (const { binary, file, run } of proxies)
  describeInstalled(binary)(`behind ${binary}, with ops/proxies/${file}`, () => {
    const folder = mkdtempSync(join(tmpdir(), `rookery-${binary}-`));
    let server: ChannelsServer;
    let proxy: ChildProcess;
    let port: number;
    beforeAll(async () => {
      server = await startChannels();
      port = await freePort();
      const config = readFileSync(fileURLToPath(new URL(`../../ops/proxies/${file}`, import.meta.url)), 'utf8')
        .replaceAll('127.0.0.1:6001', `127.0.0.1:${server.port}`)
        .replace(/(listen |\*:|^:|bind :)80\b/m, `$1${port}`);
      proxy = spawn(pathOf(binary)!, run(config, folder), { stdio: 'ignore', env: { ...process.env, HOME: folder } });
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/apps`).catch(() => undefined)) !== undefined;
      await until(answers, `${binary} listens`);
    });
    afterAll(async () => {
      proxy.kill('SIGTERM');
      await server.close();
      await until(() => proxy.exitCode !== null || proxy.signalCode !== null, `${binary} has ended`);
      rmSync(folder, { recursive: true, force: true });
    });

    it('clients connect over WebSockets, and get triggered events', async () => {
      const client = await SocketClient.connect(port, testApp);
      await client.subscribe('news');
      const { id: appId, key, secret } = testApp;
      const pusher = new Pusher({ appId, key, secret, host: '127.0.0.1', port: String(port) });
      await pusher.trigger('news', 'e', { a: 1 });
      expect((await client.next('e')).data).toBe('{"a":1}');
      client.close();
    });

    it('clients connect over HTTP streams, and get each event at once', async () => {
      const base = `http://127.0.0.1:${port}/pusher/app/${testApp.key}/123/abcdefgh`;
      const over = new AbortController();
      const { body } = await fetch(`${base}/xhr_streaming?protocol=7&client=js&version=8.6.0&t=1&n=1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        signal: over.signal,
      });
      let heard = '';
      const reading = (async () => {
        for await (const chunk of body!) heard += Buffer.from(chunk).toString();
      })();
      await until(() => heard.includes('connection_established'), 'it is greeted');
      const subscribe = JSON.stringify([JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'streamed' } })]);
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(`${base}/xhr_send?t=2&n=2`, { method: 'POST', headers, body: subscribe });
      expect(sent.status).toBe(204);
      await until(() => heard.includes('subscription_succeeded'), 'it is subscribed');
      for (const n of [1, 2, 3]) {
        const event = { name: `event-${n}`, channel: 'streamed', data: '{}' };
        await server.app.get(EventsService).trigger(testApp.id, event);
        await until(() => heard.includes(`event-${n}`), `event ${n} is heard`);
      }
      over.abort();
      await reading.catch(() => undefined);
    });
  });
