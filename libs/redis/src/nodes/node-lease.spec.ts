import { Logger } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NodeLease } from 'rookery/internal/channels';
import type { ThisNode } from '#common';
import { DroppedRecords } from '../connection/dropped-records.js';
import type { RedisConnection } from '../connection/redis.connection.js';
import { RedisSettings } from '../redis.options.js';
import { RedisLeaseStore } from './redis-lease.store.js';
import * as scripts from './scripts.js';

const settings = Object.assign(new RedisSettings(), { heartbeatSeconds: 5, leaseSeconds: 15 });

/** A process whose Redis is away and back as the test says. */
class World {
  /** How long Redis takes to answer. */
  answerMs = 0;
  epoch = 'one';
  ageMs = 1_000_000;
  /** How many announcements to come fail. */
  failures = 0;
  /** How long an announcement takes. */
  announceMs = 0;
  /** The announcements that have ended, and when Redis was said to be complete. */
  readonly steps: ('announced' | 'complete')[] = [];
  /** When this process looked for dead ones, in seconds since the test began. */
  readonly looks: number[] = [];
  readonly announced: { readonly silentUntil: number }[] = [];
  readonly redis = {
    settings,
    breaks: 0,
    dropped: new DroppedRecords(new Logger('Redis')),
    keys: { ofNodes: String },
    run: (script: unknown) => this.run(script),
    ask: async () => ({}),
    tookWrite: async () => undefined,
    ledgerIsBack: () => void this.steps.push('complete'),
    close() {},
    onTakenForDead() {},
    onReconnect: (reconnected: () => Promise<void>) => (this.reconnect = reconnected),
  };
  reconnect = async (): Promise<void> => undefined;
  private readonly startedAt = performance.now();
  private readonly nodes = {
    configuredApps: '',
    announce: async (owed: { readonly silentUntil: number }) => {
      if (this.failures-- > 0) throw new Error('the store is away');
      if (this.announceMs > 0) await new Promise((resolve) => setTimeout(resolve, this.announceMs));
      this.announced.push(owed);
      this.steps.push('announced');
    },
    announceMissed: async () => undefined,
    recheckAll() {},
  };
  readonly lease = new NodeLease(
    new RedisLeaseStore(this.redis as unknown as RedisConnection),
    { id: 'me' } as ThisNode,
    { get: () => this.nodes } as unknown as ModuleRef,
  );

  private async run(script: unknown): Promise<unknown> {
    if (script === scripts.claimDead) this.looks.push((performance.now() - this.startedAt) / 1000);
    if (script !== scripts.renew) return null;
    const { epoch, ageMs } = this;
    if (this.answerMs > 0) await new Promise((resolve) => setTimeout(resolve, this.answerMs));
    return ['held', 1, epoch, ageMs, 0];
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  for (const level of ['log', 'warn'] as const) vi.spyOn(Logger.prototype, level).mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

it.each([
  ['at the reconnect', (world: World) => world.reconnect()],
  ['at the next heartbeat', async () => undefined],
])('takes no process for dead until all had time to renew after an outage, when it renews %s', async (_, renews) => {
  const world = new World();
  await world.lease.onApplicationBootstrap();
  await pass(60);
  expect(world.looks.length).toBeGreaterThan(10);
  world.redis.breaks += 1;
  const before = world.looks.length;
  await renews(world);
  await pass(30);
  const first = world.looks[before]!;
  expect(first).toBeGreaterThanOrEqual(60 + settings.leaseSeconds);
  expect(first).toBeLessThanOrEqual(60 + settings.leaseSeconds + 2 * settings.heartbeatSeconds);
  await world.lease.onApplicationShutdown();
});

it.each([0, 1, 3])('announces silently until two heartbeats after Redis was asked: %i s late', async (late) => {
  const world = new World();
  await world.lease.onApplicationBootstrap();
  Object.assign(world, { epoch: 'two', ageMs: 2000, answerMs: late * 1000 });
  const askedAt = performance.now() + settings.heartbeatSeconds * 1000;
  await pass(settings.heartbeatSeconds + late);
  expect(world.announced).toEqual([{ silentUntil: askedAt + 2 * settings.heartbeatSeconds * 1000 - 2000 }]);
  await world.lease.onApplicationShutdown();
});

it('announces its entries at the next beat when that has failed', async () => {
  vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  const world = new World();
  await world.lease.onApplicationBootstrap();
  world.failures = 2;
  world.redis.breaks += 1;
  await pass(3 * settings.heartbeatSeconds);
  expect(world.announced).toEqual([{ silentUntil: 0 }]);
  await pass(60);
  expect(world.announced).toHaveLength(1);
  await world.lease.onApplicationShutdown();
});

it('lets no work on shared state pass by an announcement to a Redis that has lost its data again meanwhile', async () => {
  const world = new World();
  await world.lease.onApplicationBootstrap();
  world.steps.length = 0;
  Object.assign(world, { epoch: 'two', ageMs: 0, announceMs: 1.4 * settings.heartbeatSeconds * 1000 });
  await pass(1.5 * settings.heartbeatSeconds);
  world.epoch = 'three';
  await pass(2.5 * settings.heartbeatSeconds);
  expect(world.steps.slice(0, 3)).toEqual(['announced', 'announced', 'complete']);
  await world.lease.onApplicationShutdown();
});
