import { once } from 'node:events';
import { connect as tcp } from 'node:net';
import { expect, it } from 'vitest';
import { ChannelsMetrics, EventsService } from 'rookery/channels';
import { startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

it('closes a connection that reads too slowly with 4100, counts it, and drops no event of the others', async () => {
  const server = await startChannels({ apps: [testApp], limits: { queuedBytes: 500_000 } });
  const events = server.app.get(EventsService);
  const quick = await SocketClient.connect(server.port);
  await quick.subscribe('flood');
  const slow = tcp(server.port, '127.0.0.1');
  slow.write(
    `GET /app/${testApp.key}?protocol=7 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(slow, 'data');
  const subscribe = Buffer.from('{"event":"pusher:subscribe","data":{"channel":"flood"}}');
  slow.write(Buffer.concat([Buffer.from([0x81, 0x80 | subscribe.length, 0, 0, 0, 0]), subscribe]));
  await once(slow, 'data');
  slow.pause();

  const metrics = server.app.get(ChannelsMetrics);
  const closed = async () => (await metrics.slowConnections.get()).values[0]?.value === 1;
  let sent = 0;
  await until(
    async () => {
      for (let n = 0; n < 20; n++)
        await events.trigger(testApp.id, { name: 'e', channels: ['flood'], data: `${sent++} ${'x'.repeat(10_000)}` });
      await until(() => quick.frames.length === sent, 'the quick connection has it all');
      return closed();
    },
    'the slow connection is closed',
    15_000,
  );
  const received = await quick.settled('e');
  expect(received.map(({ data }) => Number.parseInt(data as string, 10))).toEqual(
    Array.from({ length: sent }, (_, i) => i),
  );

  const chunks: Buffer[] = [];
  slow.on('data', (chunk: Buffer) => chunks.push(chunk));
  slow.resume();
  await once(slow, 'end');
  const bytes = Buffer.concat(chunks);
  const close = bytes.lastIndexOf(Buffer.from([0x88, 2 + 'Over capacity: messages are not read fast enough'.length]));
  expect(bytes.readUInt16BE(close + 2)).toBe(4100);
  slow.destroy();
  quick.close();
  await server.close();
});
