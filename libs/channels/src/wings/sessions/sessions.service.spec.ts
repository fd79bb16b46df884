import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Ledger } from '#common';
import type { SessionName } from '../../access/saved-session.js';
import { appFrom } from '../../app/app.js';
import { ChannelsLimits } from '../../app/channels-limits.js';
import type { Broker } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import { clientQuotas } from '../../connections/client-quotas.js';
import type { Connection } from '../../connections/connection.js';
import { Session, sessions } from '../../connections/session.js';
import type { Hub } from '../../hub/hub.js';
import { ChannelsMetrics } from '../../metrics.js';
import { MemorySessionRepository } from '../../storage/memory-session.repository.js';
import type { SessionChanges } from '../../storage/session.repository.js';
import type { SessionPings } from './session-pings.js';
import { SessionsService } from './sessions.service.js';

beforeAll(() => Logger.overrideLogger(false));

const name: SessionName = { appId: 'app', key: 'key', id: 'tab' };
/** A day, for which sessions are kept. */
const keptMs = 86_400_000;
const app = appFrom({ id: 'app', key: 'key', secret: 'secret', history: [{ channels: '*' }] });

/** A store that takes its time, and fails, as the test says. */
class ScriptedRepository extends MemorySessionRepository {
  /** For each save to come, whether it fails. */
  readonly failures: boolean[] = [];
  /** Called before each save. */
  arrives = async (): Promise<void> => undefined;

  // The port's methods may be asynchronous.
  override save(...args: Parameters<MemorySessionRepository['save']>): never {
    return this.saved(...args) as never;
  }
  private async saved(session: SessionName, socketId: string, changes: SessionChanges, seconds: number) {
    await this.arrives();
    if (this.failures.shift()) throw new Error('the store is away');
    return super.save(session, socketId, changes, seconds);
  }
}

/** One process with its clients. */
class World {
  readonly repository = new ScriptedRepository();
  /** The end of each history. */
  now = '1';
  private readonly connections: Connection[] = [];
  readonly sessions: SessionsService;

  constructor(settings = new ChannelsSettings()) {
    this.sessions = new SessionsService(
      this.repository,
      { history: async () => ({ events: [], isComplete: true, now: this.now }) } as unknown as Broker,
      { connections: this.connections } as unknown as Hub,
      { add() {} } as unknown as SessionPings,
      settings,
      new ChannelsMetrics(),
    );
  }

  async connect(socketId: string, id = name.id): Promise<Connection & { readonly session: Session }> {
    const session = new Session({ ...name, id }, 100);
    const connection = { app, socketId, session } as unknown as Connection & { readonly session: Session };
    sessions.set(connection, session);
    this.connections.push(connection);
    await this.sessions.open(connection);
    return connection;
  }

  /** What a next connection would find. */
  saved(): ReadonlyMap<string, string> {
    return new Map(this.repository.open(name, 'another', 600)?.positions);
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

describe('a returning client', () => {
  it.each(['orders', 'news'])('gets nothing of %s before its connection has taken the session', async (channel) => {
    const world = new World();
    const first = await world.connect('1.1');
    await world.sessions.join(first, 'orders', undefined);
    const second = await world.connect('2.2');
    let arrive = (): void => undefined;
    world.repository.arrives = () => new Promise((resolve) => (arrive = resolve));
    let hasJoined = false;
    const joining = world.sessions.join(second, channel, undefined).then((missed) => {
      hasJoined = true;
      return missed;
    });
    await settled();
    expect(hasJoined).toBe(false);
    arrive();
    expect(await joining).toEqual(channel === 'orders' ? { since: '1', hasGap: false } : undefined);
    // What the replay sends is not counted as received by the connection before, which may still get answers.
    world.repository.arrives = async () => undefined;
    world.sessions.leave(first, 'orders');
    await settled();
    expect(first.session.isCurrent).toBe(false);
    expect(world.saved().get('orders')).toBe('1');
  });
});

describe('a client that comes back after its session was forgotten', () => {
  /** An id whose time is so many milliseconds ago. */
  const idOf = (ageMs: number): string => {
    const at = (Date.now() - ageMs).toString(16).padStart(12, '0');
    return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-000000000000`;
  };
  const gapOf = async (world: World, socketId: string, id: string): Promise<boolean | undefined> => {
    const missed = await world.sessions.join(await world.connect(socketId, id), 'orders', undefined);
    return missed?.hasGap;
  };

  it('is told of a gap, also by the next connection if it did not get that far', async () => {
    const world = new World();
    const id = idOf(keptMs + 120_000);
    await world.connect('1.1', id);
    expect(await gapOf(world, '2.2', id)).toBe(true);
    // From then on, the store knows the session: it has saved the gap.
    expect(await gapOf(world, '3.3', id)).toBe(true);
    const saved = world.repository.open({ ...name, id }, '4.4', 600)!.positions.map(([channel]) => channel);
    expect(saved.toSorted()).toEqual(['', 'orders']);
  });

  it('is told of a gap on each channel, though its connection broke off after the first', async () => {
    const world = new World();
    const id = idOf(keptMs + 120_000);
    const gapOn = async (connection: Connection, channel: string) =>
      (await world.sessions.join(connection, channel, undefined))?.hasGap;
    expect(await gapOn(await world.connect('1.1', id), 'orders')).toBe(true);
    const second = await world.connect('2.2', id);
    expect([await gapOn(second, 'orders'), await gapOn(second, 'news')]).toEqual([true, true]);
    expect(await gapOn(await world.connect('3.3', id), 'chat')).toBe(true);
  });

  it('is told of none on channels that are new to it, once it has been back for long', async () => {
    const world = new World();
    const id = idOf(keptMs + 120_000);
    const connection = await world.connect('1.1', id);
    await world.sessions.join(connection, 'orders', undefined);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 601_000);
    world.sessions.ponged(connection);
    await settled();
    clock.mockRestore();
    expect(await world.sessions.join(connection, 'news', undefined)).toBe(undefined);
    expect(await world.sessions.join(await world.connect('2.2', id), 'chat', undefined)).toBe(undefined);
  });

  it.each([
    ['is new', () => idOf(0)],
    ['was away for a little less', () => idOf(keptMs - 1000)],
    ['has a clock that is a little behind', () => idOf(keptMs + 50_000)],
    ['has an id without a time', () => crypto.randomUUID()],
  ])('is not told of a gap if it %s', async (_, id) => {
    const at = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(at - 2 * keptMs);
    const world = new World();
    clock.mockRestore();
    expect(await gapOf(world, '1.1', id())).toBeUndefined();
  });
});

/** All patterns in which six saves fail. */
const patterns = Array.from({ length: 2 ** 6 }, (_, bits) =>
  Array.from({ length: 6 }, (_, at) => (bits & (1 << at)) > 0),
);

it.each([false, true])(
  'saves all that a client has received, whichever saves fail before the last; forgotten meanwhile: %s',
  async (isForgotten) => {
    for (const failing of patterns) {
      const world = new World();
      const connection = await world.connect('1.1');
      await world.sessions.join(connection, 'orders', undefined);
      await world.sessions.join(connection, 'news', undefined);
      const acknowledges = (channel: string, position: string): void => {
        connection.session.wasSent(channel, position);
        connection.session.pinged()?.();
        world.sessions.ponged(connection);
      };
      world.repository.failures.push(...failing);
      acknowledges('orders', '2');
      // While the save is under way.
      acknowledges('orders', '3');
      await settled();
      if (isForgotten) world.repository.open(name, '1.1', 0);
      acknowledges('news', '2');
      await settled();
      world.sessions.leave(connection, 'news');
      await settled();
      world.repository.failures.length = 0;
      world.sessions.ponged(connection);
      await settled();
      expect(world.saved(), failing.join()).toEqual(new Map([['orders', '3']]));
    }
  },
);

it('lets a network begin newSessionsPerAddress sessions a minute, once the first ten times as many are used', async () => {
  vi.useFakeTimers();
  try {
    const limits = Object.assign(new ChannelsLimits(), { newSessionsPerAddress: 6 });
    const world = new World(Object.assign(new ChannelsSettings(), { limits }));
    const network = new Ledger(clientQuotas(limits)).of('network', '203.0.113.1');
    let ids = 0;
    const begun = async (): Promise<number> => {
      for (let opened = 0; ; opened++) {
        const session = new Session({ ...name, id: `${(ids += 1)}` }, 100);
        const connection = { app, socketId: '1.1', network } as Connection;
        sessions.set(connection, session);
        const isRefused = await world.sessions.open(connection).catch((error: unknown) => error);
        if (isRefused) return opened;
      }
    };
    expect(await begun()).toBe(60);
    vi.advanceTimersByTime(60_000);
    expect(await begun()).toBe(6);
  } finally {
    vi.useRealTimers();
  }
});
