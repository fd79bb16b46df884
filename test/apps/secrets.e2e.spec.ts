import { type LoggerService, Logger } from '@nestjs/common';
import { afterEach, expect, it } from 'vitest';
import { EventsService, InProcessBroker } from 'rookery/channels';
import { overSocket, signed } from '../support/channels-api.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

afterEach(() => Logger.overrideLogger(false));

class Down extends InProcessBroker {
  override recall(): never {
    throw new Error('database is down');
  }
}

it('never logs a secret or shows it in an answer, even in errors', async () => {
  const lines: string[] = [];
  const write = (...args: unknown[]): void =>
    void lines.push(args.map((arg) => (arg instanceof Error ? arg.stack : JSON.stringify(arg))).join(' '));
  const capturing: LoggerService = {
    log: write,
    error: write,
    warn: write,
    debug: write,
    verbose: write,
    fatal: write,
  };
  const webhooks = [{ url: 'http://user:hook-password@127.0.0.1:1/hook?token=hook-token' }];
  const server = await startChannels({
    apps: [{ ...testApp, webhooks }],
    broker: Down,
    webhooks: { retryMs: 0 },
  });
  Logger.overrideLogger(capturing);

  const client = await SocketClient.connect(server.port);
  await client.subscribe('private-a');
  client.sendSubscribe('private-cache-a');
  client.send({ event: 'pusher:subscribe', data: { channel: 'private-b', auth: `${testApp.key}:wrong` } });
  await client.next('pusher:error');
  const answers = await Promise.all([
    overSocket(server, signed('POST', '/events', { name: 'e' }, { signature: 'wrong' })),
    overSocket(server, signed('GET', '/channels/cache-a', undefined, { query: { info: 'cache' } })),
    overSocket(server, signed('POST', '/events', '{')),
  ]);
  await expect(
    server.app.get(EventsService).trigger('nowhere', { name: 'e', channel: 'a', data: '' }),
  ).rejects.toThrow();
  await until(() => lines.some((line) => line.includes('127.0.0.1:1')), 'the failing webhook is logged');
  client.close();
  await client.closing();
  await server.close();

  expect(lines.length).toBeGreaterThan(2);
  const said = [...lines, ...answers.map(({ text }) => text), JSON.stringify(client.frames)].join('\n');
  for (const secret of [testApp.secret, 'hook-password', 'hook-token']) expect(said).not.toContain(secret);
});
