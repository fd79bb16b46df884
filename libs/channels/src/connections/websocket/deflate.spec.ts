import { array, assert, boolean, integer, property, record, string } from 'fast-check';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { constants, deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { TransportListener } from '../transport.js';
import { acceptDeflate, deflatedEncoding } from './deflate.js';
import { type FrameListener, FrameReader } from './frame-reader.js';
import { acceptHandshake } from './handshake.js';
import { Inflater } from './inflater.js';
import { WebSocketTransport } from './websocket.transport.js';

const maxBytes = 131_072;

describe('the offer of a client', () => {
  const answer = 'permessage-deflate; server_no_context_takeover; client_no_context_takeover';
  it.each([
    ['permessage-deflate', answer],
    ['permessage-deflate; client_max_window_bits', answer],
    ['permessage-deflate;client_max_window_bits=10 ; client_no_context_takeover', answer],
    ['permessage-deflate; server_no_context_takeover', answer],
    ['permessage-deflate; server_max_window_bits=15', `${answer}; server_max_window_bits=13`],
    ['permessage-deflate; server_max_window_bits="13"', `${answer}; server_max_window_bits=13`],
    ['x-other, permessage-deflate; server_max_window_bits=9, permessage-deflate', answer],
  ])('%s is taken', (offers, taken) => {
    expect(acceptDeflate({ 'sec-websocket-extensions': offers })).toBe(taken);
  });

  it.each([
    undefined,
    '',
    'x-webkit-deflate-frame',
    'permessage-deflate; server_max_window_bits=12',
    'permessage-deflate; server_max_window_bits',
    'permessage-deflate; server_max_window_bits=16',
    'permessage-deflate; client_max_window_bits=7',
    'permessage-deflate; server_no_context_takeover=1',
    'permessage-deflate; server_no_context_takeover; server_no_context_takeover',
    'permessage-deflate; other',
  ])('%s is declined', (offers) => {
    expect(acceptDeflate({ 'sec-websocket-extensions': offers })).toBeUndefined();
  });
});

describe('with a client that compresses, as the Autobahn suite has it (12, 13)', () => {
  let server: Server;
  beforeAll(async () => {
    const encoding = deflatedEncoding(100);
    server = createServer().on('upgrade', (request, socket: Socket, head) => {
      const extension = acceptDeflate(request.headers);
      socket.write(acceptHandshake(request, extension)!);
      const transport = new WebSocketTransport(socket, maxBytes, extension === undefined ? undefined : encoding);
      transport.attach(echo(transport), head);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  function echo(transport: WebSocketTransport): TransportListener {
    return {
      onActivity() {},
      onConfirmed() {},
      onGone() {},
      inputAddress: '',
      onInputRefused() {},
      onHeartbeat() {},
      onEcho() {},
      onText: (message) => transport.write(transport.encoding.encodeShared(message)),
      onAnswer: (bytes) => transport.write(bytes),
      onClose: (code, reason) => transport.close(undefined, code, reason),
    };
  }

  const offers = [{}, { clientNoContextTakeover: true }, { serverMaxWindowBits: 15 }, { clientMaxWindowBits: 9 }];
  it.each(offers)('each message comes back, with the offer %o', async (perMessageDeflate) => {
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}`, {
      perMessageDeflate: { ...perMessageDeflate, threshold: 0 },
    });
    const back: string[] = [];
    client.on('message', (message: Buffer) => back.push(message.toString()));
    await new Promise((resolve) => client.once('open', resolve));
    expect(client.extensions).toContain('permessage-deflate');
    const sizes = [0, 16, 64, 99, 100, 256, 1024, 4096, 8192, 16_384, 32_768, 65_536, maxBytes];
    const sent = sizes.flatMap((size) => ['*'.repeat(size), spread(size)]);
    for (const [at, message] of sent.entries())
      if (at % 3 === 0) {
        client.send(message.slice(0, message.length / 2), { fin: false });
        client.send(message.slice(message.length / 2), { fin: true });
      } else client.send(message);
    await expect.poll(() => back).toHaveLength(sent.length);
    expect(back).toEqual(sent);
    client.close();
    await new Promise((resolve) => client.once('close', resolve));
  });

  /** A text that compresses little. */
  const spread = (size: number): string =>
    Array.from({ length: size }, (_, at) => String.fromCharCode(32 + ((at * at * 31 + at) % 95))).join('');
});

/** Writes down what the reader makes of the bytes. */
class Listener implements FrameListener {
  readonly heard: unknown[] = [];
  onText = (text: string): void => void this.heard.push(text);
  onPing = (): void => void this.heard.push('ping');
  onPong = (): void => {};
  onEmptyPart = (): void => {};
  onClose = (code: number | undefined): void => void this.heard.push(['close', code]);
  onViolation = (code: number): void => void this.heard.push(['violation', code]);
}

function read(frames: readonly Buffer[], reader = new FrameReader(maxBytes, new Inflater(maxBytes))): unknown[] {
  const listener = new Listener();
  reader.read(Buffer.concat(frames), listener);
  return listener.heard;
}

const [text, continuation, ping, final, rsv1, rsv2] = [1, 0, 9, 0x80, 0x40, 0x20];

function frame(first: number, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload as string);
  const head = Buffer.alloc(bytes.length < 126 ? 6 : bytes.length < 65_536 ? 8 : 14);
  head[0] = first;
  head[1] = 0x80 | (head.length === 6 ? bytes.length : head.length === 8 ? 126 : 127);
  if (head.length === 8) head.writeUInt16BE(bytes.length, 2);
  if (head.length === 14) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
}

const deflated = (payload: Buffer | string): Buffer =>
  deflateRawSync(payload, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
const message = (payload: Buffer | string): Buffer => frame(final | rsv1 | text, deflated(payload));

describe('a compressed message', () => {
  it('is read in any fragments, between plain ones and pings', () => {
    const messages = array(
      record({ text: string({ unit: 'binary', maxLength: 2000 }), isDeflated: boolean(), cut: integer({ min: 0 }) }),
    );
    assert(
      property(messages, (all) => {
        const frames = all.flatMap((each) => {
          const bytes = each.isDeflated ? deflated(each.text) : Buffer.from(each.text);
          const cut = each.cut % (bytes.length + 1);
          const first = frame((each.isDeflated ? rsv1 : 0) | text, bytes.subarray(0, cut));
          return [first, frame(final | ping, ''), frame(final | continuation, bytes.subarray(cut))];
        });
        // What is not UTF-8 is refused, however it comes.
        const readable = all.map((each) => Buffer.from(each.text).toString());
        expect(read(frames)).toEqual(readable.flatMap((each) => ['ping', each]));
      }),
    );
  });

  it('may end in a final block, or in several', () => {
    const ended = Buffer.concat([deflateRawSync('{"event":"pusher:ping"}'), Buffer.of(0)]);
    expect(read([frame(final | rsv1 | text, ended)])).toEqual(['{"event":"pusher:ping"}']);
  });

  it.each([
    ['that are not compressed', frame(final | rsv1 | text, 'not compressed'), 1007],
    ['that inflate to what is no UTF-8', message(Buffer.of(0xc3, 0x28)), 1007],
    ['that inflate to more than a message may have', message('x'.repeat(maxBytes + 1)), 1009],
    ['of which a later frame says it is compressed', Buffer.concat([frame(text, 'a'), frame(final | rsv1, 'b')]), 1002],
    ['within a message', Buffer.concat([frame(text, 'a'), message('b')]), 1002],
    ['with a reserved bit of no extension', frame(final | rsv1 | rsv2 | text, deflated('a')), 1002],
    ['of a ping', frame(final | rsv1 | ping, ''), 1002],
  ])('is refused if it consists of bytes %s', (_, frames, code) => {
    expect(read([frames, message('never read')])).toEqual([['violation', code]]);
  });

  it('is refused by a connection that has not agreed', () => {
    expect(read([message('a')], new FrameReader(maxBytes))).toEqual([['violation', 1002]]);
  });
});

describe('what compressed messages may add', () => {
  afterEach(() => vi.useRealTimers());

  it('is two megabytes at once, and one a second', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const inflater = new Inflater(maxBytes);
    const bomb = deflated('x'.repeat(maxBytes));
    const taken = (): number => {
      for (let count = 0; ; count++) if (!Buffer.isBuffer(inflater.inflate(bomb))) return count;
    };
    expect(taken()).toBe(15);
    vi.advanceTimersByTime(1000);
    expect(taken()).toBe(7);
  });

  it('is counted for short messages too, as what each costs', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const inflater = new Inflater(maxBytes);
    const short = deflated('{"event":"pusher:ping"}');
    let count = 0;
    while (Buffer.isBuffer(inflater.inflate(short))) count += 1;
    expect(count).toBeGreaterThan(4000);
    expect(count).toBeLessThan(6000);
  });
});

describe('what is sent to all clients of a channel', () => {
  it('is compressed if it is long, and becomes shorter by that', () => {
    const encoding = deflatedEncoding(100);
    const long = JSON.stringify({ data: 'news '.repeat(100) });
    expect(encoding.encodeShared(long).length).toBeLessThan(100);
    expect(encoding.encodeShared(long)[0]).toBe(final | rsv1 | text);
    const bytes = createHash('shake256', { outputLength: 120 }).digest();
    const random = String.fromCharCode(...bytes.map((byte) => byte & 127));
    for (const plain of ['short', random]) expect(encoding.encodeShared(plain)).toEqual(encoding.encode(plain));
  });
});
