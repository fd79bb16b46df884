import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import {
  RedisChannelRepository,
  RedisConnection,
  RedisPresenceRepository,
  RedisSettings,
} from 'rookery/internal/redis';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';

/**
 * Process a announces a departure, after Redis has confirmed it. Then a replica takes over that lacks this: it
 * is what it was at an earlier time.
 */
describeRedis.each(redisAndValkey())('after a confirmation that was lost with its master, %s', (_, start) => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let tests = 0;
  beforeAll(async () => void (redis = await start()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.command('FLUSHALL');
    connection = await RedisConnection.open(
      settingsOf(RedisSettings, { url: redis.url, keyPrefix: `test-${++tests}` }),
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
    connection.close();
  });

  /** The replica gets no more from here on. */
  const lag = async (): Promise<void> => {
    for (const key of (await redis.command('KEYS', '*')) as string[]) await redis.command('COPY', key, key, 'DB', 1);
  };
  const failOver = async (): Promise<void> => {
    await redis.command('FLUSHDB');
    await redis.command('SWAPDB', 0, 1);
  };
  /** As when the answer of each command is lost once. */
  const repeatCommands = (): void => {
    const run = connection.run.bind(connection);
    vi.spyOn(connection, 'run').mockImplementation(async (...command) => {
      await run(...command);
      return run(...command);
    });
  };

  describe('for an absent member', () => {
    const room = { scope: 'app', name: 'presence-room' };
    const ann = { userId: 'ann', userInfoJson: '{"name":"Ann"}' };
    const heldByA = { room, connectionId: '1', member: ann };
    let a: RedisPresenceRepository;
    let b: RedisPresenceRepository;
    beforeEach(async () => {
      [a, b] = [new RedisPresenceRepository(connection), new RedisPresenceRepository(connection)];
      await a.join(room, { nodeId: 'a', connectionId: '1' }, ann, Infinity);
    });

    const leave = async (): Promise<number> => (await a.leave(room, { nodeId: 'a', connectionId: '1' }))!.version;
    const comeBack = () => b.join(room, { nodeId: 'b', connectionId: '2' }, ann, Infinity);

    it('a member that rejoins is not a return, because the absence was announced', async () => {
      const version = await leave();
      await lag();
      expect(await a.confirmAbsent(room, 'ann', version)).toBe(true);
      await failOver();
      expect(await a.announce('a', [])).toEqual([]);
      const joined = await comeBack();
      expect(joined).toMatchObject({ isFirst: true });
      expect(joined).not.toHaveProperty('isReturn');
    });

    it('a member that returns by a registration is not a return either', async () => {
      const version = await leave();
      await lag();
      await a.confirmAbsent(room, 'ann', version);
      await failOver();
      const [change, ...more] = await a.announce('a', [heldByA]);
      expect(change).toMatchObject({ room, member: ann, isPresent: true });
      expect(change).not.toHaveProperty('isReturn');
      expect(more).toEqual([]);
    });

    it('a member that rejoined before the confirmation is announced once more', async () => {
      const version = await leave();
      await lag();
      await a.confirmAbsent(room, 'ann', version);
      await failOver();
      const joined = await comeBack();
      expect(joined).toMatchObject({ isReturn: true });
      const told = { room, member: ann, isPresent: true, version: (joined as { version: number }).version };
      expect(await a.announce('a', [])).toEqual([told]);
      expect(await a.announce('a', [])).toEqual([]);
    });

    it('a member that rejoined is announced if the replica did not know of the absence', async () => {
      await lag();
      const version = await leave();
      await a.confirmAbsent(room, 'ann', version);
      await failOver();
      expect(await comeBack()).toMatchObject({ isFirst: false });
      const [change, ...more] = await a.announce('a', []);
      expect(change).toEqual({ room, member: ann, isPresent: true, version: expect.any(Number) });
      expect(change!.version).toBeGreaterThan(version);
      expect(more).toEqual([]);
      const roster = await b.roster(room);
      expect(roster.members).toEqual([{ ...ann, since: expect.any(Number) as number }]);
      expect(roster.version).toBeGreaterThanOrEqual(change!.version);
    });

    it('nothing is announced twice if nothing was lost', async () => {
      await a.confirmAbsent(room, 'ann', await leave());
      await comeBack();
      expect(await a.announce('a', [])).toEqual([]);
    });

    it('a roster that lacks a member who joined later is newer than the join', async () => {
      await lag();
      const ben = { userId: 'ben' };
      const joined = await a.join(room, { nodeId: 'a', connectionId: '2' }, ben, Infinity);
      await failOver();
      const { members, version } = await b.roster(room);
      expect(members).toEqual([{ ...ann, since: expect.any(Number) as number }]);
      expect(version).toBeGreaterThan((joined as { version: number }).version);
    });

    it('a later removal is held back as usual', async () => {
      const version = await leave();
      await lag();
      await a.confirmAbsent(room, 'ann', version);
      await failOver();
      await comeBack();
      const later = (await b.leave(room, { nodeId: 'b', connectionId: '2' }))!.version;
      expect(await a.announce('a', [])).toEqual([]);
      expect(await b.confirmAbsent(room, 'ann', later)).toBe(true);
    });

    it('a registration repeats the changes of a lost answer', async () => {
      await a.leave(room, { nodeId: 'a', connectionId: '1' });
      repeatCommands();
      const changes = await a.announce('a', [heldByA]);
      expect(changes).toMatchObject([{ room, member: ann, isPresent: true }]);
      expect(await a.announce('a', [heldByA])).toEqual([]);
      expect(await b.takeOut('a', 'b')).toMatchObject([{ room, member: { userId: 'ann' }, isPresent: false }]);
      expect(await b.takeOut('a', 'b')).toEqual([]);
    });

    it('a repeated call with a lost answer gets the same answer', async () => {
      const version = await leave();
      repeatCommands();
      expect(await a.confirmAbsent(room, 'ann', version)).toBe(true);
      expect(await b.confirmAbsent(room, 'ann', version)).toBe(false);
    });
  });

  describe('for a vacated channel', () => {
    let a: RedisChannelRepository;
    let b: RedisChannelRepository;
    beforeEach(async () => {
      [a, b] = [new RedisChannelRepository(connection), new RedisChannelRepository(connection)];
      await a.occupy('app', 'news', 'a', 1);
    });

    const nothing = { channels: [], admitted: [] };
    const vacate = async (): Promise<number> => (await a.occupy('app', 'news', 'a', 0)).change!.version;
    const comeBack = () => b.occupy('app', 'news', 'b', 2);
    const numbered: unknown = expect.any(Number);
    const occupied = { to: 'occupied', version: numbered };

    it('a channel that is occupied again is not a return, because the vacancy was announced', async () => {
      const version = await vacate();
      await lag();
      expect(await a.confirmVacated('app', 'news', version)).toBe(true);
      await failOver();
      expect(await a.announce('a', nothing)).toEqual([]);
      expect(await comeBack()).toEqual({ count: 2, version: numbered, change: occupied });
    });

    it('a channel that is occupied by a registration is not a return either', async () => {
      const version = await vacate();
      await lag();
      await a.confirmVacated('app', 'news', version);
      await failOver();
      const held = { channels: [{ appId: 'app', channel: 'news', connections: 3 }], admitted: [] };
      expect(await a.announce('a', held)).toEqual([
        { appId: 'app', channel: 'news', count: 3, version: numbered, change: occupied },
      ]);
    });

    it('a channel that was occupied before the confirmation is announced once more', async () => {
      const version = await vacate();
      await lag();
      await a.confirmVacated('app', 'news', version);
      await failOver();
      expect(await comeBack()).toMatchObject({ change: { isReturn: true } });
      expect(await a.announce('a', nothing)).toEqual([
        { appId: 'app', channel: 'news', count: 2, version: numbered, change: occupied },
      ]);
      expect(await a.announce('a', nothing)).toEqual([]);
    });

    it('an occupied channel is announced if the replica did not know of the vacancy', async () => {
      await lag();
      await a.confirmVacated('app', 'news', await vacate());
      await failOver();
      expect(await comeBack()).toEqual({ count: 3, version: numbered });
      expect(await a.announce('a', nothing)).toEqual([
        { appId: 'app', channel: 'news', count: 2, version: numbered, change: occupied },
      ]);
      expect(await b.subscriptionCounts('app', ['news'])).toEqual([2]);
    });

    it('a count that lacks a later one is newer than it', async () => {
      await lag();
      const more = await a.occupy('app', 'news', 'a', 2);
      await failOver();
      const { count, version } = await a.occupy('app', 'news', 'a', 1);
      expect(count).toBe(1);
      expect(version).toBeGreaterThan(more.version);
    });

    it('nothing is announced twice if nothing was lost', async () => {
      await a.confirmVacated('app', 'news', await vacate());
      await comeBack();
      expect(await a.announce('a', nothing)).toEqual([]);
    });

    it('a registration repeats the changes of a lost answer', async () => {
      repeatCommands();
      const held = { channels: [{ appId: 'app', channel: 'other', connections: 3 }], admitted: [] };
      const changes = await a.announce('a', held);
      expect(changes).toContainEqual({ appId: 'app', channel: 'other', count: 3, version: numbered, change: occupied });
      expect(changes).toContainEqual({
        appId: 'app',
        channel: 'news',
        count: 0,
        version: numbered,
        change: { to: 'vacated', version: numbered },
      });
      expect(await a.announce('a', held)).toEqual([]);
      expect(await b.takeOut('a', 'b')).toMatchObject([
        { channel: 'news', change: { to: 'vacated' } },
        { channel: 'other', change: { to: 'vacated' } },
      ]);
    });

    it('a repeated call with a lost answer gets the same answer', async () => {
      const version = await vacate();
      repeatCommands();
      expect(await a.confirmVacated('app', 'news', version)).toBe(true);
      expect(await b.confirmVacated('app', 'news', version)).toBe(false);
    });
  });
});
