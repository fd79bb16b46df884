import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HistoryPage, KeptEvent } from '../../broker/broker.js';
import { SharedTexts } from '../../connections/shared-text.js';
import { channelEvent } from '../../protocol/frames.js';
import { piecesOf, type StreamPiece } from '../../protocol/stream-piece.js';
import { ChannelStreams, type Streamed } from './channel-streams.js';

const eventOf = (piece: Partial<StreamPiece>): string =>
  channelEvent('answer', 'chat', piecesOf({ stream: '7', at: 0, text: '', ...piece }, 10_240)[0]!);

/** The history, and what lets the reads that wait for it go on. */
let kept: KeptEvent[];
let reads: (() => void)[];
let silent: Streamed[];
let streams: ChannelStreams;
beforeEach(() => {
  vi.useFakeTimers();
  [kept, reads, silent] = [[], [], []];
  streams = new ChannelStreams({
    channel: 'chat',
    bounds: { events: 1000, seconds: 120, bytes: 100_000 },
    dataBytes: 10_240,
    texts: new SharedTexts(),
    silenceMs: 5000,
    read: (limit, after = '') => {
      const events = kept.filter(({ position }) => position > after).slice(0, limit);
      const page: HistoryPage = { events, isComplete: true, now: '999' };
      return new Promise((resolve) => reads.push(() => resolve(page)));
    },
    silent: (stream) => silent.push(stream),
  });
});
afterEach(() => {
  streams.close();
  vi.useRealTimers();
});

const keep = (position: string, piece: Partial<StreamPiece>) => kept.push({ position, text: eventOf(piece) });
const pass = (position: string, piece: Partial<StreamPiece>) => streams.passed(eventOf(piece), position);
const told = () =>
  streams.catchUp().texts.map(({ text }) => JSON.parse((JSON.parse(text) as { data: string }).data) as StreamPiece);

async function read(): Promise<void> {
  const ready = streams.ready();
  await vi.advanceTimersByTimeAsync(0);
  while (reads.length > 0) {
    for (const each of reads.splice(0)) each();
    await vi.advanceTimersByTimeAsync(0);
  }
  await ready;
}

it('has pieces that come while the history is read, which may have them too or not yet', async () => {
  keep('101', { text: 'a' });
  const ready = streams.ready();
  await vi.advanceTimersByTimeAsync(0);
  pass('102', { at: 1, text: 'b' });
  pass('103', { at: 2, text: 'c' });
  reads.shift()!();
  await ready;
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'abc' }]);
  expect(streams.catchUp().to).toBe('103');
});

it('reads a history of many pages', async () => {
  for (let n = 0; n < 600; n++) keep(String(100_000 + n), { at: n, text: String(n % 10) });
  await read();
  expect(told()).toEqual([{ stream: '7', at: 0, text: kept.map((_, n) => n % 10).join('') }]);
});

it('keeps what it has when the sender repeats itself', async () => {
  await read();
  for (const [position, at, text] of [
    ['101', 0, 'abc'],
    ['102', 0, 'ab'],
    ['103', 2, 'cd'],
  ] as const)
    pass(position, { at, text });
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'abcd' }]);
});

it('has no more text than the history: the ended streams are forgotten first, then the earliest', async () => {
  await read();
  const text = 'x'.repeat(30_000);
  for (const [n, end] of [[1], [2, 'done'], [3], [4]] as const)
    for (let part = 0; part < 3; part++)
      pass(`${100 * n + part}`, {
        stream: `${n}`,
        at: part * 10_000,
        text: text.slice(0, 10_000),
        ...(part === 2 && { end }),
      });
  const known = () => streams.catchUp().texts.map(({ text }) => /stream\\":\\"(\d)/.exec(text)?.[1]);
  expect([...new Set(known())]).toEqual(['1', '3', '4']);
  for (let part = 0; part < 3; part++)
    pass(`${500 + part}`, { stream: '5', at: part * 10_000, text: text.slice(0, 10_000) });
  expect([...new Set(known())]).toEqual(['3', '4', '5']);
  pass('600', { stream: '1', at: 30_000, text: 'more' });
  expect([...new Set(known())]).toEqual(['3', '4', '5']);
});

it('reads again what it may lack', async () => {
  await read();
  pass('101', { text: 'a' });
  streams.mayLack();
  keep('101', { text: 'a' });
  keep('102', { at: 1, text: 'b' });
  pass('103', { at: 2, text: 'c' });
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'a' }]);
  keep('103', { at: 2, text: 'c' });
  await read();
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'abc' }]);
});

it('does not tell a stream whose beginning is unknown, until it comes as a whole', async () => {
  await read();
  pass('101', { at: 5, text: 'x' });
  expect(told()).toEqual([]);
  pass('102', { at: 0, text: 'abcdex' });
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'abcdex' }]);
});

it('forgets a stream that has ended when the history does', async () => {
  await read();
  pass('101', { text: 'a', end: 'done' });
  expect(told()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(121_000);
  expect(told()).toEqual([]);
});

it('reports a silent stream again and again, until it goes on or ends', async () => {
  await read();
  pass('101', { text: 'a' });
  await vi.advanceTimersByTimeAsync(11_000);
  expect(silent.map(({ text }) => text)).toEqual(['a', 'a']);
  pass('102', { at: 1, text: 'b', end: 'timeout' });
  await vi.advanceTimersByTimeAsync(11_000);
  expect(silent).toHaveLength(2);
  pass('103', { at: 2, text: 'c' });
  expect(told()).toEqual([{ stream: '7', at: 0, text: 'abc' }]);
});

it('is read by the next call when a read fails', async () => {
  const failing = new ChannelStreams({
    channel: 'chat',
    bounds: { events: 1, seconds: 1, bytes: 1 },
    dataBytes: 100,
    texts: new SharedTexts(),
    silenceMs: 1,
    read: vi
      .fn<() => Promise<HistoryPage>>()
      .mockRejectedValueOnce(new Error('away'))
      .mockResolvedValue({ events: [], isComplete: true, now: '1' }),
    silent: () => {},
  });
  await expect(failing.ready()).rejects.toThrow('away');
  await expect(failing.ready()).resolves.toBeUndefined();
});
