import assert from 'node:assert/strict';
import type { Writable } from 'node:stream';
import { constants, deflateRawSync } from 'node:zlib';
import * as ws from 'ws';
import { type FrameListener, FrameReader } from '../../../libs/channels/src/connections/websocket/frame-reader.js';
import { Inflater } from '../../../libs/channels/src/connections/websocket/inflater.js';
import type { Target } from '../target.js';

const maxBytes = 2000;

type Heard = readonly [kind: string, value?: unknown];

class Listener implements FrameListener {
  readonly heard: Heard[] = [];
  onText = (text: string): void => void this.heard.push(['text', text]);
  onPing = (payload: Buffer): void => void this.heard.push(['ping', payload.toString('latin1')]);
  onEmptyPart = (): void => {};
  onPong = (): void => void this.heard.push(['pong']);
  onClose = (code: number | undefined): void => void this.heard.push(['close', code]);
  onViolation = (code: number): void => void this.heard.push(['violation', code]);
}

/** What our reader hears of bytes that come in pieces of a size. */
function ours(bytes: Buffer, size: number, inflater?: Inflater): readonly Heard[] {
  const [reader, listener] = [new FrameReader(maxBytes, inflater), new Listener()];
  for (let at = 0; at < bytes.length; at += size) reader.read(Buffer.from(bytes.subarray(at, at + size)), listener);
  return listener.heard;
}

// Exported by ws, and missing in its types.
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };

/** What ws hears, which the browser tests of Autobahn have checked for many years. */
function theirs(bytes: Buffer): readonly Heard[] {
  const heard: Heard[] = [];
  const receiver = new Receiver({ isServer: true, maxPayload: maxBytes, allowSynchronousEvents: true });
  receiver.on('message', (data: Buffer, isBinary: boolean) =>
    heard.push(isBinary ? ['violation', 1003] : ['text', data.toString()]),
  );
  receiver.on('ping', (payload: Buffer) => heard.push(['ping', payload.toString('latin1')]));
  receiver.on('pong', () => heard.push(['pong']));
  receiver.on('conclude', (code: number) => heard.push(['close', code === 1005 ? undefined : code]));
  receiver.on('error', () => undefined);
  // What write() calls, which tells of an error only later.
  receiver._write(Buffer.from(bytes), 'latin1', (error) => {
    if (error) heard.push(['violation', codes[(error as NodeJS.ErrnoException).code ?? ''] ?? 1002]);
  });
  return heard;
}

const codes: Readonly<Record<string, number>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_INVALID_UTF8: 1007,
};

function masked(first: number, payload: string): Buffer {
  const bytes = Buffer.from(payload, 'latin1');
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), bytes]);
}

const inflated = (bytes: Buffer, size: number) => ours(bytes, size, new Inflater(maxBytes));
const deflated = (text: string): string =>
  deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4).toString('latin1');

/**
 * WebSocket frames of a client: any pieces mean the same, compressed or not, and they mean what they mean to ws. What is
 * not compressed means the same where compression is agreed on.
 */
export const frames = (): Target => ({
  name: 'frames',
  seeds: [
    masked(0x81, '{"event":"pusher:ping"}'),
    Buffer.concat([masked(0x01, 'a\xc3'), masked(0x89, 'ping'), masked(0x80, '\xbc'), masked(0x8a, '')]),
    Buffer.concat([masked(0x81, 'x'.repeat(200)), masked(0x88, '\x0f\xa0bye')]),
    masked(0x82, 'binary'),
    masked(0x88, ''),
    masked(0xc1, deflated('{"event":"pusher:ping"}')),
    Buffer.concat([masked(0x41, deflated('x'.repeat(3000))), masked(0x89, ''), masked(0x80, '')]),
  ],
  run(input) {
    const size = 1 + (input.length % 7);
    const whole = ours(input, Infinity);
    assert.deepEqual(ours(input, size), whole);
    const agreed = inflated(input, Infinity);
    assert.deepEqual(inflated(input, size), agreed);
    const plain = whole.at(-1)?.[0] === 'violation' ? whole.slice(0, -1) : whole;
    assert.deepEqual(agreed.slice(0, plain.length), plain);
    const reference = theirs(input);
    compare(whole, reference);
    // Some of what ws refuses by its header we refuse when the frame is complete.
    if (reference.at(-1)?.[0] !== 'violation' || whole.at(-1)?.[0] === 'violation') return;
    const completed = ours(Buffer.concat([input, Buffer.alloc(maxBytes + 20)]), Infinity);
    assert.equal(completed[whole.length]?.[0], 'violation');
  },
});

function compare(heard: readonly Heard[], reference: readonly Heard[]): void {
  const last = heard.at(-1);
  const isRefused = last?.[0] === 'violation';
  const before = isRefused ? heard.slice(0, -1) : heard;
  assert.deepEqual(reference.slice(0, before.length), before);
  const next = reference[before.length];
  if (!isRefused) return assert.ok(next === undefined || next[0] === 'violation');
  // We refuse text that is not UTF-8 and binary messages with the first frame, ws with the last one.
  if (last?.[1] === 1007 || last?.[1] === 1003) return assert.notEqual(next?.[0], 'text');
  assert.equal(next?.[0], 'violation');
  // A frame may have two faults.
  const [code, theirCode] = [last?.[1], next?.[1]];
  if (code !== 1009 && theirCode !== 1009) assert.equal(theirCode, code);
}
