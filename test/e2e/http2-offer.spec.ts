import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { signed } from '../support/channels-api.js';
import { startChannels } from '../support/channels-server.js';
import { until } from '../support/until.js';

it('answers clients that offer HTTP/2 with every request, as Java’s do, over one connection', async () => {
  const server = await startChannels();
  const socket = connect(server.port, '127.0.0.1');
  let answers = '';
  socket.on('data', (chunk) => (answers += String(chunk)));
  for (let n = 1; n <= 3; n++) {
    const { url, body } = signed('POST', '/events', { name: 'e', channels: ['c'], data: 'é'.repeat(5000) });
    const bytes = Buffer.from(body as string);
    socket.write(
      `POST ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
        `HTTP2-Settings: AAEAAEAA\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 100));
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(bytes.subarray(100));
    await until(() => answers.split('HTTP/1.1 200 OK').length === n + 1, `answer ${n} arrives`);
  }
  expect(answers.match(/HTTP\/1.1 [^\r]+/g)).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 200 OK'));
  socket.end();
  await once(socket, 'close');
  await server.close();
});
