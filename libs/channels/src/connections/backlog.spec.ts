import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Ledger } from '#common';
import { ChannelsLimits } from '../app/channels-limits.js';
import { Backlog } from './backlog.js';
import { type ClientAccount, clientQuotas } from './client-quotas.js';
import type { Connection } from './connection.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Client {
  isClosed = false;
  waitingBytes = 0;
  isPaused = false;

  constructor(
    readonly name: string,
    readonly network?: ClientAccount,
  ) {}

  pauseReading(): void {
    this.isPaused = true;
  }

  resumeReading(): void {
    this.isPaused = false;
  }
}

function backlogOf({ queuedMs = 5000, processQueuedBytes = 1000, queuedBytes = 800 } = {}) {
  const closed: string[] = [];
  const limits = { ...new ChannelsLimits(), queuedMs, processQueuedBytes, queuedBytes };
  const ledger = new Ledger(clientQuotas(limits));
  const backlog = new Backlog(limits, ledger.process, (connection, limit) => {
    const client = connection as unknown as Client;
    client.isClosed = true;
    closed.push(`${client.name} ${limit}`);
  });
  const queue = (client: Client, bytes: number): void => {
    client.waitingBytes = bytes;
    backlog.add(client as unknown as Connection);
  };
  return { closed, queue, ledger };
}

it('closes a client that reads nothing for too long, though more and more waits for it', () => {
  const { closed, queue } = backlogOf();
  const client = new Client('stuck');
  for (let second = 0; second < 4; second++) {
    queue(client, 10 + second);
    vi.advanceTimersByTime(1000);
  }
  expect(closed).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(closed).toEqual(['stuck queuedMs']);
});

it('spares a client that reads slowly, and one that has read all', () => {
  const { closed, queue } = backlogOf();
  const [slow, done] = [new Client('slow'), new Client('done')];
  queue(slow, 100);
  queue(done, 100);
  done.waitingBytes = 0;
  for (let second = 0; second < 20; second++) {
    vi.advanceTimersByTime(1000);
    slow.waitingBytes -= second % 4 === 0 ? 1 : 0;
  }
  expect(closed).toEqual([]);
});

it('watches no one when there is no one to watch', () => {
  const { queue } = backlogOf();
  const client = new Client('done');
  queue(client, 1);
  expect(vi.getTimerCount()).toBe(1);
  client.waitingBytes = 0;
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});

it('closes the slowest when too much waits for all together, until the rest fits', () => {
  const { closed, queue } = backlogOf({ processQueuedBytes: 1000 });
  const [first, second, third] = [new Client('first'), new Client('second'), new Client('third')];
  queue(first, 400);
  queue(second, 300);
  vi.advanceTimersByTime(1000);
  first.waitingBytes = 390;
  vi.advanceTimersByTime(1000);
  queue(third, 400);
  vi.advanceTimersByTime(0);
  expect(closed).toEqual(['second processQueuedBytes']);
});

it('forgets what clients that left had waiting', () => {
  const { closed, queue } = backlogOf({ processQueuedBytes: 1000 });
  for (let i = 0; i < 100; i++) {
    const client = new Client(`${i}`);
    queue(client, 100);
    client.isClosed = true;
    vi.advanceTimersByTime(1000);
  }
  expect(closed).toEqual([]);
});

it('closes the slowest of the network for which most waits, never the newest or the smallest', () => {
  const { closed, queue, ledger } = backlogOf({ processQueuedBytes: 1000 });
  const [many, one] = ['1.0.0.1', '1.0.0.2'].map((name) => ledger.of('network', name));
  queue(new Client('small, and slow for long', one), 100);
  vi.advanceTimersByTime(1000);
  for (let n = 0; n < 10; n++) queue(new Client(`${n}`, many), 90);
  vi.advanceTimersByTime(0);
  expect(closed).toEqual([]);
  queue(new Client('new', one), 190);
  vi.advanceTimersByTime(0);
  expect(closed).toEqual(['0 processQueuedBytes', '1 processQueuedBytes', '2 processQueuedBytes']);
  expect(ledger.process.held('waitingBytes')).toBe(920);
});

it('does not read a client while half of what may wait for it does', () => {
  const { queue } = backlogOf({ queuedBytes: 800 });
  const client = new Client('slow');
  queue(client, 500);
  expect(client.isPaused).toBe(true);
  client.waitingBytes = 300;
  vi.advanceTimersByTime(1000);
  expect(client.isPaused).toBe(true);
  client.waitingBytes = 100;
  vi.advanceTimersByTime(1000);
  expect(client.isPaused).toBe(false);
});
