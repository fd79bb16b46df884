import type { Worker as Forked } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { Worker } from './worker.js';

/** A forked process that answers nothing by itself. */
class StandIn extends EventEmitter {
  readonly sent: unknown[] = [];
  readonly process = { pid: 1, exitCode: null, signalCode: null, kill: vi.fn() };
  send(message: unknown): boolean {
    return this.sent.push(message) > 0;
  }
}

function worker(forked = new StandIn()) {
  const gone = vi.fn();
  // What a worker uses of a forked process.
  const made = new Worker(forked as unknown as Forked, { serves: () => {}, stoppedTaking: async () => {}, gone });
  return { worker: made, forked, gone };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.useRealTimers());

it('counts as gone once it has exited and its messages are read, in either order', () => {
  for (const order of [
    ['exit', 'disconnect'],
    ['disconnect', 'exit'],
  ] as const) {
    const { forked, gone } = worker();
    forked.emit(order[0]);
    expect(gone).not.toHaveBeenCalled();
    forked.emit(order[1]);
    expect(gone).toHaveBeenCalledOnce();
  }
});

it('counts as gone a second after its exit if Node does not report the end of its messages', () => {
  vi.useFakeTimers();
  const { forked, gone } = worker();
  forked.emit('exit');
  vi.advanceTimersByTime(999);
  expect(gone).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(gone).toHaveBeenCalledOnce();
  forked.emit('disconnect');
  expect(gone).toHaveBeenCalledOnce();
});

it('counts as gone if it could not start', () => {
  const { forked, gone } = worker();
  Object.assign(forked.process, { pid: undefined });
  forked.emit('error', new Error('spawn EAGAIN'));
  expect(gone).toHaveBeenCalledOnce();
});

it('is killed after several unanswered heartbeats', () => {
  const { worker: stuck, forked } = worker();
  for (let beat = 0; beat < 6; beat++) stuck.watch();
  expect(forked.process.kill).not.toHaveBeenCalled();
  stuck.watch();
  expect(forked.process.kill).toHaveBeenCalledWith('SIGKILL');
});

it('is kept while it answers', async () => {
  const { worker: sound, forked } = worker();
  for (let beat = 1; beat <= 20; beat++) {
    sound.watch();
    await turn();
    forked.emit('message', { rookery: [[-beat]] });
    await turn();
  }
  expect(forked.process.kill).not.toHaveBeenCalled();
});
