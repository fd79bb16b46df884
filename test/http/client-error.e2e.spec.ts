import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { useServer } from '../support/server.js';

const server = useServer();

async function answerTo(bytes: string): Promise<string> {
  const { port } = new URL(await server().getUrl());
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

it.each([
  ['what is not HTTP', '\x16\x03\x01\r\n\r\n', '400 Bad Request'],
  ['a length that is none', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', '400 Bad Request'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${'x'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ],
])('answers %s as every error of the push APIs', async (_name, bytes, status) => {
  const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
  expect(head.split('\r\n')).toEqual(
    expect.arrayContaining([`HTTP/1.1 ${status}`, 'Content-Type: application/json', 'Connection: close']),
  );
  expect(JSON.parse(body)).toEqual({ error: status.slice(4), description: 'The request cannot be read as HTTP.' });
});
