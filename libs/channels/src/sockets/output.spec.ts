import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { BroadcastBatch } from './broadcast-batch.js';
import { type SendToAll, sendToAll } from './native-send.js';
import { Output } from './output.js';
import { WriteScheduler } from './write-scheduler.js';

const EAGAIN = -11;
const EBADF = -9;

/** Takes part of what it is given, another part each time, as a kernel whose buffers are almost full. */
const stingy =
  (calls: number[] = []): SendToAll =>
  (fds, count, bytes, results) => {
    calls.push(count);
    for (let i = 0; i < count; i++) {
      const part = [0, 1, bytes.length >> 1, bytes.length][(calls.length + i) % 4]!;
      results[i] = part === 0 ? EAGAIN : writeSync(fds[i]!, bytes, 0, part);
    }
  };

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
const listener = { onTooSlow: () => void noted.push('too slow') };
const outputOf = (socket: Socket, writes: WriteScheduler, queuedBytes = 1e9) =>
  new Output(socket, queuedBytes, writes, listener);

const ways: [string, SendToAll | undefined][] = [
  ['through the stream', undefined],
  ['past it, where the kernel takes what it likes', stingy()],
];
if (sendToAll) ways.push(['past it', sendToAll]);

it.runIf(process.env['CI'] === 'true')('has the native helper in CI', () => {
  expect(sendToAll).toBeTypeOf('function');
});

describe.each(ways)('a broadcast %s', (_, send) => {
  it('reaches every socket whole, once, and in order with what else is due for it', async () => {
    const writes = new WriteScheduler(send);
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

  it('waits for a client that reads nothing, and closes one that has too much waiting', async () => {
    const writes = new WriteScheduler(send);
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
    output.end(Buffer.from('end'));
    client.resume();
    await until(() => seen.text.endsWith('xend'), 'it gets what was due before the end');
    expect(seen.text.length).toBeLessThanOrEqual(sent + 3);
  });

  it('ends what has an answer due with that answer', async () => {
    const { socket, client, seen } = await connected();
    const output = outputOf(socket, new WriteScheduler(send));
    output.answer(Buffer.from('answer;'));
    output.end(Buffer.from('end'));
    output.enqueue(Buffer.from('late'));
    await until(() => client.readableEnded, 'the connection has ended');
    expect(seen.text).toBe('answer;end');
  });

  it('to a socket that is gone harms nobody else', async () => {
    const writes = new WriteScheduler(send);
    const [gone, fine] = [await connected(), await connected()];
    gone.socket.on('error', () => undefined);
    const outputs = [gone, fine].map(({ socket }) => outputOf(socket, writes));
    const bytes = Buffer.from('event;');
    for (const output of outputs) output.enqueue(bytes);
    gone.socket.destroy();
    await until(() => fine.seen.text === 'event;', 'the other gets it');
  });
});

describe('past the stream', () => {
  it('go the same bytes to many in one call, and other bytes in another', () => {
    const calls: [number[], string][] = [];
    const sent: [string, number][] = [];
    const batch = new BroadcastBatch((fds, count, bytes, results) => {
      calls.push([[...fds.subarray(0, count)], Buffer.from(bytes).toString()]);
      results.fill(EBADF, 0, count);
    });
    const member = { sent: (bytes: Buffer, result: number) => void sent.push([bytes.toString(), result]) };
    const [one, other] = [Buffer.from('one'), Buffer.from('other')];
    for (const fd of [5, 6]) batch.add(member, fd, one);
    batch.add(member, 7, other);
    expect(calls).toEqual([[[5, 6], 'one']]);
    batch.flush();
    batch.flush();
    expect(calls).toEqual([
      [[5, 6], 'one'],
      [[7], 'other'],
    ]);
    expect(sent).toEqual([
      ['one', EBADF],
      ['one', EBADF],
      ['other', EBADF],
    ]);
  });

  it('goes nothing while something waits in the stream', async () => {
    const { socket, client, seen } = await connected();
    client.pause();
    while (socket.write(Buffer.alloc(65_536, '.')));
    const calls: number[] = [];
    const output = outputOf(socket, new WriteScheduler(stingy(calls)));
    output.enqueue(Buffer.from('event;'));
    client.resume();
    await until(() => seen.text.endsWith('.event;'), 'it comes after what waited');
    expect(calls).toEqual([]);
  });

  it('goes nothing to a socket that encrypts', async () => {
    class EncryptingSocket extends Socket {
      readonly _handle = { fd: 1 };
    }
    const calls: number[] = [];
    const written: string[] = [];
    const socket = new EncryptingSocket();
    socket.write = (bytes: unknown) => written.push(String(bytes)) > 0;
    const output = outputOf(socket, new WriteScheduler(stingy(calls)));
    output.enqueue(Buffer.from('event;'));
    await until(() => written.length > 0, 'it is written');
    expect([calls, written]).toEqual([[], ['event;']]);
  });
});

describe.runIf(sendToAll)('the native helper', () => {
  it('says of each descriptor what became of it', async () => {
    const { socket, seen } = await connected();
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const results = new Int32Array(3);
    sendToAll!(Int32Array.of(fd, 1_000_000, fd), 2, Buffer.from('event;'), results);
    expect([...results]).toEqual([6, EBADF, 0]);
    await until(() => seen.text === 'event;', 'it comes');
  });

  it.each<[string, unknown[]]>([
    ['nothing', []],
    ['plain lists', [[1], 1, Buffer.from('x'), [0]]],
    ['a text', [new Int32Array(1), 1, 'x', new Int32Array(1)]],
    ['more than there are', [new Int32Array(1), 2, Buffer.from('x'), new Int32Array(2)]],
    ['too little room for the results', [new Int32Array(2), 2, Buffer.from('x'), new Int32Array(1)]],
    ['a negative count', [new Int32Array(1), -1, Buffer.from('x'), new Int32Array(1)]],
  ])('refuses %s', (_, args) => {
    expect(() => (sendToAll as unknown as (...args: unknown[]) => void)(...args)).toThrow(TypeError);
  });
});
