import { expect, it } from 'vitest';
import type { Encoding } from '../connections/transport.js';
import { Frame, JoinedFrames } from './frame.js';

/** An encoding that remembers what it encoded. */
function encodingOf(name: string) {
  const encoded: string[] = [];
  const encode = (text: string) => (encoded.push(text), Buffer.from(`${name}:${text};`));
  return { encoding: { ping: Buffer.alloc(0), encode, encodeShared: encode } satisfies Encoding, encoded };
}

it('a frame carries its position only if the history keeps its event', () => {
  const history = { seconds: 60 } as never;
  const [plain, kept] = [new Frame({ text: '{"e":1}' }, '7'), new Frame({ text: '{"e":1}', history }, '7')];
  expect([plain.text, plain.event, plain.isKept]).toEqual(['{"e":1}', '{"e":1}', false]);
  expect([kept.text, kept.event, kept.isKept]).toEqual(['{"e":1,"position":"7"}', '{"e":1}', true]);
});

it('frames are encoded once for each kind of transport that follows another, alone and joined', () => {
  const [ws, stream] = [encodingOf('ws'), encodingOf('stream')];
  const joined = new JoinedFrames([new Frame({ text: 'a' }, '1'), new Frame({ text: 'b' }, '2')]);
  const all = [ws, ws, stream, stream].map(({ encoding }) => String(joined.bytes(encoding)));
  expect(all).toEqual(['ws:a;ws:b;', 'ws:a;ws:b;', 'stream:a;stream:b;', 'stream:a;stream:b;']);
  expect([ws.encoded, stream.encoded]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

it('a single frame is not copied to be joined, and none is nothing', () => {
  const { encoding } = encodingOf('ws');
  const frame = new Frame({ text: 'a' }, '1');
  expect(new JoinedFrames([frame]).bytes(encoding)).toBe(frame.bytes(encoding));
  expect(String(frame.bytes(encoding))).toBe('ws:a;');
  expect(new JoinedFrames([]).bytes(encoding)).toHaveLength(0);
});

it.each<[string, (frame: Frame) => unknown]>([
  ['repeats a change', (frame) => (frame.repeats = 0)],
  ['stands for several changes', (frame) => (frame.reversals = [1])],
])('concerns each connection in its own way if it %s', (_, change) => {
  const frame = new Frame({ text: 'a' }, '1');
  expect(frame.isForEachAlone).toBe(false);
  change(frame);
  expect(frame.isForEachAlone).toBe(true);
  expect(new Frame({ text: 'a' }, '1', () => {}).isForEachAlone).toBe(true);
});
