import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Activity } from '../contract/index.js';
import { LiveStream } from './live-stream.js';

const mega = 1024 * 1024;
const batch = (characters: number): Activity[] => [
  { id: '1', at: 1, node: 'here', kind: 'event', data: 'x'.repeat(characters) },
];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('buffers at most a megabyte and the batch that filled it for a viewer that does not read, and counts the rest', () => {
  const stream = new LiveStream(
    () => 1,
    () => true,
  );
  const largest = 100_000;
  for (let n = 0; n < 100; n++) stream.send(batch(largest), 0);
  expect(stream.readableLength).toBeGreaterThan(mega - largest);
  expect(stream.readableLength).toBeLessThan(mega + largest + 1000);
  const told = String(stream.read()).split('event: activities').length - 1;
  vi.advanceTimersByTime(2000);
  expect(String(stream.read())).toContain(`event: status\ndata: {"dropped":${100 - told},"nodes":1}`);
  stream.destroy();
});

it('adds the activities that a process dropped to the missed ones', () => {
  const stream = new LiveStream(
    () => 3,
    () => true,
  );
  stream.send(batch(1), 7);
  stream.send([], 5);
  vi.advanceTimersByTime(2000);
  expect(String(stream.read())).toContain('{"dropped":12,"nodes":3}');
  stream.destroy();
});

it('ends for a viewer that reads nothing for a quarter of a minute', async () => {
  const stream = new LiveStream(
    () => 1,
    () => true,
  );
  const closed = vi.fn();
  stream.once('close', closed);
  stream.send(batch(mega), 0);
  vi.advanceTimersByTime(15_000);
  expect(stream.destroyed).toBe(false);
  vi.advanceTimersByTime(5000);
  expect(stream.destroyed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  stream.send(batch(1), 0);
  await turn();
  expect(closed).toHaveBeenCalledOnce();
});

it('continues for a viewer that reads late', () => {
  const stream = new LiveStream(
    () => 1,
    () => true,
  );
  for (let n = 0; n < 5; n++) {
    stream.send(batch(mega), 0);
    vi.advanceTimersByTime(10_000);
    stream.read();
    vi.advanceTimersByTime(2000);
  }
  expect(stream.destroyed).toBe(false);
  stream.destroy();
});

it('ends when the viewer has signed out, and continues while that is unknown', async () => {
  let answer: () => boolean | Promise<boolean> = () => true;
  const stream = new LiveStream(
    () => 1,
    () => answer(),
  );
  const closed = vi.fn();
  stream.once('close', closed);
  answer = () => Promise.reject(new Error('the database is away'));
  vi.advanceTimersByTime(4000);
  await turn();
  answer = () => true;
  vi.advanceTimersByTime(2000);
  await turn();
  expect(closed).not.toHaveBeenCalled();
  answer = async () => false;
  vi.advanceTimersByTime(2000);
  await turn();
  expect(closed).toHaveBeenCalledOnce();
});
