import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { Output } from '../../libs/channels/src/connections/output.js';
import { WebSocketTransport } from '../../libs/channels/src/connections/websocket/websocket.transport.js';
import { WriteScheduler } from '../../libs/channels/src/connections/write-scheduler.js';

const closing: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const each of closing.splice(0)) each.destroy();
});

/** A socket of a server, and what its client has received. */
async function connected() {
  const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  server.close();
  closing.push(client, socket);
  const seen = { text: '' };
  client.setEncoding('latin1').on('data', (text: string) => (seen.text += text));
  return { socket, client, seen };
}

const noted: string[] = [];
const listener = {
  onWaiting: () => undefined,
  onTooSlow: () => void noted.push('too slow'),
};
const outputOf = (socket: Socket, writes: WriteScheduler, queuedBytes = 1e9) =>
  new Output(new WebSocketTransport(socket, 1000), queuedBytes, writes, listener);

describe('a broadcast', () => {
  it('reaches every socket whole, once, and in order with its other frames', async () => {
    const writes = new WriteScheduler();
    const all = await Promise.all(Array.from({ length: 100 }, connected));
    const outputs = all.map(({ socket }) => outputOf(socket, writes));
    const expected = all.map(() => '');
    for (let round = 0; round < 20; round++) {
      const bytes = Buffer.from(`round ${round};`.repeat(round + 1));
      for (const [i, output] of outputs.entries()) {
        if ((i + round) % 7 === 0) {
          output.answer(Buffer.from(`answer ${round};`));
          expected[i] += `answer ${round};`;
        }
        output.enqueue(bytes);
        expected[i] += bytes.toString();
      }
      if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => all.every(({ seen }, i) => seen.text.length >= expected[i]!.length), 'everything has come');
    expect(all.map(({ seen }) => seen.text)).toEqual(expected);
  });

  it('buffers for a client that reads nothing, and closes it beyond the limit', async () => {
    const writes = new WriteScheduler();
    const { socket, client, seen } = await connected();
    client.pause();
    const output = outputOf(socket, writes, 1_000_000);
    const bytes = Buffer.alloc(100_000, 'x');
    noted.length = 0;
    let sent = 0;
    await until(() => {
      output.enqueue(bytes);
      sent += bytes.length;
      return noted.length > 0;
    }, 'the client is too slow');
    output.close(1000, 'end');
    client.resume();
    await until(() => seen.text.endsWith('xx\x88\x05\x03\xe8end'), 'it gets what was due before the end');
    expect(seen.text.length).toBeLessThanOrEqual(sent + 7);
  });

  it('ends a connection with its due answer', async () => {
    const { socket, client, seen } = await connected();
    const output = outputOf(socket, new WriteScheduler());
    output.answer(Buffer.from('answer;'));
    output.close(1000, 'end');
    output.enqueue(Buffer.from('late'));
    await until(() => client.readableEnded, 'the connection has ended');
    expect(seen.text).toBe('answer;\x88\x05\x03\xe8end');
  });

  it('of many bytes asks for one proof that they are read, when it is looked at', async () => {
    const writes = new WriteScheduler();
    const { socket, seen } = await connected();
    const output = outputOf(socket, writes);
    output.enqueue(Buffer.alloc(200_000, 'x'));
    await until(() => seen.text.length === 200_000, 'less than much has come');
    expect(output.hasSentMuch()).toBe(false);
    output.enqueue(Buffer.alloc(2_000_000, 'x'));
    await until(() => seen.text.length === 2_200_000, 'all has come');
    expect([output.hasSentMuch(), output.hasSentMuch()]).toEqual([true, false]);
  });

  it('to a closed socket harms no other', async () => {
    const writes = new WriteScheduler();
    const [gone, fine] = [await connected(), await connected()];
    gone.socket.on('error', () => undefined);
    const outputs = [gone, fine].map(({ socket }) => outputOf(socket, writes));
    const bytes = Buffer.from('event;');
    for (const output of outputs) output.enqueue(bytes);
    gone.socket.destroy();
    await until(() => fine.seen.text === 'event;', 'the other gets it');
  });
});
