import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamPiece } from '../../protocol/stream-piece.js';
import { EventStream } from './event-stream.js';

const bounds = { events: 1000, seconds: 120, bytes: 4000 };

let sent: StreamPiece[];
/** What the broker does with the next events. */
let broker: () => void | Promise<void>;
let isClosed: boolean;

const begin = (): EventStream =>
  new EventStream('7', {
    bounds,
    dataBytes: 10_240,
    joinMs: 50,
    timeoutMs: 10_000,
    send: (data) => {
      sent.push(...data.map((each) => JSON.parse(each) as StreamPiece));
      return broker();
    },
    closed: () => void (isClosed = true),
  });

beforeEach(() => {
  vi.useFakeTimers();
  [sent, broker, isClosed] = [[], () => {}, false];
});
afterEach(() => void vi.useRealTimers());

describe('while the broker is away', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['rejects', () => Promise.reject(new Error('away'))],
  ])('nothing is lost when it %s', async (_, away) => {
    const stream = begin();
    stream.append('a');
    await vi.advanceTimersByTimeAsync(60);
    broker = away;
    stream.append('b');
    await vi.advanceTimersByTimeAsync(1000);
    stream.append('c');
    await vi.advanceTimersByTimeAsync(1000);
    broker = () => {};
    sent = [];
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toEqual([{ stream: '7', at: 1, text: 'bc' }]);
    await Promise.all([stream.end(), vi.advanceTimersByTimeAsync(100)]);
    expect(sent.at(-1)).toEqual({ stream: '7', at: 0, text: 'abc', end: 'done' });
    expect(isClosed).toBe(true);
  });

  it('the end waits for it, and fails with what it says after the time-out', async () => {
    broker = () => Promise.reject(new Error('away'));
    const stream = begin();
    stream.append('a');
    const failed = stream.end().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9000);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await failed).toEqual(new Error('away'));
    expect(isClosed).toBe(true);
    await expect(stream.end()).rejects.toThrow('away');
  });
});

describe('a slow broker', () => {
  it('gets one event at a time, with all that came meanwhile', async () => {
    let accept = (): void => {};
    broker = () => new Promise((resolve) => (accept = resolve));
    const stream = begin();
    stream.append('a');
    await vi.advanceTimersByTimeAsync(60);
    for (const text of ['b', 'c']) {
      stream.append(text);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(sent).toEqual([{ stream: '7', at: 0, text: 'a' }]);
    accept();
    await vi.advanceTimersByTimeAsync(60);
    expect(sent.slice(1)).toEqual([{ stream: '7', at: 1, text: 'bc' }]);
    void stream.end();
    expect(sent).toHaveLength(2);
    accept();
    await vi.advanceTimersByTimeAsync(60);
    expect(sent.at(-1)).toMatchObject({ at: 0, text: 'abc', end: 'done' });
  });
});

it('ends with an error when it is longer than a quarter of its history', async () => {
  const stream = begin();
  stream.append('x'.repeat(1000));
  expect(() => stream.append('y')).toThrow('raise bytes in the rule');
  await vi.advanceTimersByTimeAsync(60);
  expect(sent.at(-1)).toMatchObject({ text: 'x'.repeat(1000), end: 'error' });
});

it('shows once in a while that it goes on, and ends when it does not', async () => {
  const stream = begin();
  await vi.advanceTimersByTimeAsync(60);
  sent = [];
  for (let n = 0; n < 40; n++) {
    stream.append('');
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(sent.length).toBeGreaterThan(4);
  expect(sent.length).toBeLessThan(10);
  expect(new Set(sent.map(({ end }) => end))).toEqual(new Set([undefined]));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.at(-1)).toEqual({ stream: '7', at: 0, text: '', end: 'timeout' });
});
