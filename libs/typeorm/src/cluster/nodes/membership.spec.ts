import { EventEmitter } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../database/database.js';
import { until } from '../../../../../test/support/until.js';
import { Membership } from './membership.js';

afterEach(() => void vi.useRealTimers());

/** A connection whose process gets the lock. Checks of the lock are answered when the test says so. */
class HoldingClient extends EventEmitter {
  readonly checks: (() => void)[] = [];
  readonly asked: string[] = [];
  isRefused = false;
  isTaken = false;

  async connect(): Promise<void> {
    if (this.isRefused) throw new Error('refused');
  }

  async query(text: string): Promise<{ readonly rows: readonly object[] }> {
    this.asked.push(text);
    if (this.isRefused) throw new Error('ended');
    if (text === 'SELECT 1') await new Promise<void>((resolve) => this.checks.push(resolve));
    return { rows: [{ answer: !this.isTaken }] };
  }

  async end(): Promise<void> {
    this.emit('end');
  }
}

function onDatabase(client: HoldingClient): Database {
  const Client = function (): HoldingClient {
    return client;
  };
  const driver = { postgres: { Client }, master: { options: {} } };
  return { dataSource: { driver } } as unknown as Database;
}

it('is not alone again once another process has joined, although its lock is still held', async () => {
  vi.useFakeTimers();
  const client = new HoldingClient();
  const membership = new Membership(onDatabase(client));
  const started = membership.onModuleInit();
  await vi.advanceTimersByTimeAsync(1);
  client.checks[0]!();
  await started;
  expect(membership.isAlone).toBe(true);

  // This process is stopped for longer than its right lasts. Then it reads what came meanwhile.
  await vi.advanceTimersByTimeAsync(10_000);
  expect(client.checks).toHaveLength(2);
  expect(membership.isAlone).toBe(false);
  client.emit('notification', { channel: 'rookery_nodes' });
  client.checks[1]!();
  await vi.advanceTimersByTimeAsync(1);
  expect(membership.isAlone).toBe(false);
  expect(client.asked.some((text) => text.startsWith('SELECT pg_advisory_unlock'))).toBe(true);
  await membership.onApplicationShutdown();
});

it('is alone only once others can notice what they miss', async () => {
  vi.useFakeTimers();
  const client = new HoldingClient();
  const membership = new Membership(onDatabase(client));
  let isReadOnly = true;
  membership.beginAnew = async () => {
    if (isReadOnly) throw new Error('read-only');
  };
  const started = membership.onModuleInit();
  await vi.advanceTimersByTimeAsync(1);
  client.checks[0]!();
  await started;
  expect(membership.isAlone).toBe(false);
  isReadOnly = false;
  await vi.advanceTimersByTimeAsync(2000);
  client.checks[1]!();
  await vi.advanceTimersByTimeAsync(1);
  expect(membership.isAlone).toBe(true);
  await membership.onApplicationShutdown();
});

it('lets others notice what it delivered itself while it could not reach the database', async () => {
  vi.useFakeTimers();
  const client = new HoldingClient();
  const membership = new Membership(onDatabase(client));
  let begun = 0;
  membership.beginAnew = async () => void begun++;
  const started = membership.onModuleInit();
  await vi.advanceTimersByTimeAsync(1);
  client.checks[0]!();
  await started;
  expect(begun).toBe(1);

  client.isRefused = true;
  client.emit('end');
  await vi.advanceTimersByTimeAsync(2000);
  expect(membership.isAlone).toBe(false);
  vi.useRealTimers();
  await until(() => membership.isAlone, 'it goes on alone');
  // Another process has the lock meanwhile.
  client.isTaken = true;
  client.isRefused = false;
  await until(() => begun === 2, 'it is back');
  expect(membership.isAlone).toBe(false);
  await membership.onApplicationShutdown();
});
