import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Readable } from 'node:stream';
import type { Activity } from '../contract/index.js';
import { type LiveSource, liveStream } from './live-stream.js';

const activity = (id: number): Activity => ({ id: String(id), at: id, node: 'here', kind: 'event' });

let streams: Readable[] = [];
/** A viewer, who reads if told so; each answer has one activity. */
function view(source: Partial<LiveSource> = {}, reads = true) {
  let asked = 0;
  const next = vi.fn(async () => ({ activities: [activity(++asked)], dropped: 0 }));
  const stream = liveStream({ next, nodes: () => 3, mayLook: () => true, ...source });
  streams.push(stream);
  const seen = { text: '', isClosed: false, stream, next };
  stream.once('close', () => (seen.isClosed = true));
  if (reads) stream.on('data', (text: string) => (seen.text += text));
  else stream.read(0);
  return seen;
}

// What `node:timers/promises` waits for is not faked, and short.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => {
  for (const stream of streams) stream.destroy();
  streams = [];
  vi.useRealTimers();
});

it('tells the status every two seconds, and activities as they come', async () => {
  const seen = view({ next: async () => ({ activities: [], dropped: 6 }) });
  await expect.poll(() => seen.text).toContain('event: status\ndata: {"dropped":0,"nodes":3}\n\n');
  vi.advanceTimersByTime(2000);
  await expect.poll(() => seen.text).toMatch(/event: status\ndata: {"dropped":[1-9]\d*,"nodes":3}/);
  const other = view();
  await expect.poll(() => other.text).toContain('event: activities\ndata: [{"id":"2"');
  expect(other.text.split('event: status')).toHaveLength(2);
});

it('asks for nothing while a viewer does not read, who then gets what came since', async () => {
  const seen = view({}, false);
  await expect.poll(() => seen.stream.readableLength).toBeGreaterThan(0);
  for (let n = 0; n < 50; n++) await new Promise(setImmediate);
  const asked = seen.next.mock.calls.length;
  expect(asked).toBeLessThanOrEqual(1);
  seen.stream.on('data', (text: string) => (seen.text += text));
  await expect.poll(() => seen.next.mock.calls.length).toBeGreaterThan(asked + 1);
  expect(seen.isClosed).toBe(false);
});

it('ends for a viewer that reads nothing for a quarter of a minute', async () => {
  const seen = view({}, false);
  await expect.poll(() => seen.stream.readableLength).toBeGreaterThan(0);
  vi.advanceTimersByTime(14_000);
  expect(seen.stream.destroyed).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(seen.stream.destroyed).toBe(true);
  await expect.poll(() => seen.isClosed).toBe(true);
  const asked = seen.next.mock.calls.length;
  vi.advanceTimersByTime(60_000);
  await new Promise(setImmediate);
  expect(seen.next).toHaveBeenCalledTimes(asked);
});

it('continues for a viewer that reads, however long', async () => {
  const seen = view();
  for (let n = 1; n < 4; n++) {
    await expect.poll(() => seen.next.mock.calls.length).toBeGreaterThan(2 * n);
    vi.advanceTimersByTime(10_000);
  }
  expect(seen.isClosed).toBe(false);
});

it('ends when the viewer has signed out, and continues while that is unknown', async () => {
  let answer: () => boolean | Promise<boolean> = () => true;
  const asked = vi.fn(() => answer());
  const seen = view({ mayLook: asked });
  await expect.poll(() => asked).toHaveBeenCalledTimes(1);
  answer = () => Promise.reject(new Error('the database is away'));
  vi.advanceTimersByTime(2000);
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(2);
  expect(seen.isClosed).toBe(false);
  answer = async () => false;
  await expect.poll(() => seen.isClosed).toBe(true);
});

it('goes on when the other processes were out of reach', async () => {
  let fails = 2;
  const seen = view({
    next: async () => {
      if (fails-- > 0) throw new Error('away');
      return { activities: [activity(1)], dropped: 0 };
    },
  });
  await expect.poll(() => seen.text).toContain('event: activities');
});
