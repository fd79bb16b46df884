import { expect, it } from 'vitest';
import {
  PostgresChannelRepository,
  PostgresIdempotencyKeys,
  PostgresPresenceRepository,
  SharedDatabase,
  SharedStateSweeps,
} from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const none = { channels: [], admitted: [] };
const room = { scope: 'app', name: 'presence-room' };
const alice = { userId: 'ann\0\ud800%' };

describePostgres('the state that processes share in PostgreSQL', () => {
  const { database } = usePostgres();

  it('takes nothing of a process that was taken for dead, until it announces what it holds', async () => {
    const shared = new SharedDatabase(database());
    const channels = new PostgresChannelRepository(shared);
    let refusals = 0;
    shared.onTakenForDead(() => void refusals++);
    await channels.occupy('app', 'news', 'paused', 1);
    await channels.takeOut('paused', 'heir');
    const occupied = channels.occupy('app', 'news', 'paused', 2);
    await until(() => refusals > 0, 'it is refused');
    expect(await channels.subscriptionCounts('app', ['news'])).toEqual([0]);
    await channels.announce('paused', none);
    expect(await occupied).toMatchObject({ count: 2 });
  });

  it('repeats the changes of an announcement whose answer was lost, until the next call shows that it came', async () => {
    const announce = (channels: PostgresChannelRepository) =>
      channels.announce('node', { ...none, channels: [{ appId: 'app', channel: 'orders', connections: 3 }] });
    const [lost, next] = [1, 2].map(() => new PostgresChannelRepository(new SharedDatabase(database())));
    const changes = await announce(lost!);
    expect(changes).toMatchObject([{ channel: 'orders', count: 3, change: { to: 'occupied' } }]);
    expect(await announce(next!)).toEqual(changes);
    expect(await announce(next!)).toEqual([]);
  });

  it('forgets after a minute who has left, and still lets their absence be confirmed once', async () => {
    const presence = new PostgresPresenceRepository(new SharedDatabase(database()));
    const holder = { nodeId: 'node', connectionId: '1.1' };
    await presence.join(room, holder, alice, 10);
    expect((await presence.roster(room)).members).toEqual([{ ...alice, since: expect.any(Number) as number }]);
    const { version } = (await presence.leave(room, holder))!;
    const minutes = 120_000_000;
    await database().execute('UPDATE rookery_absences SET version = version - ?', [minutes]);
    await database().execute('UPDATE rookery_present_connections SET left_at = left_at - ?', [minutes]);
    await new SharedStateSweeps(database()).sweep();
    expect(await presence.leave(room, holder)).toBeUndefined();
    expect(await presence.holdsAbsence(room, alice.userId, version - minutes, 'node')).toBe(true);
    expect(await presence.confirmAbsent(room, alice.userId, version - minutes)).toBe(true);
    expect(await presence.confirmAbsent(room, alice.userId, version - minutes)).toBe(false);
  });

  it('changes counts within the pages of their rows, so that dead rows need no vacuum', async () => {
    const channels = new PostgresChannelRepository(new SharedDatabase(database()));
    const changes = (): Promise<readonly { readonly changed: string; readonly within: string }[]> =>
      database().read(`SELECT sum(n_tup_upd) AS changed, sum(n_tup_hot_upd) AS within FROM pg_stat_user_tables
        WHERE relname IN ('rookery_lanes', 'rookery_channel_counts', 'rookery_channel_holders')`);
    for (let connections = 1; connections <= 300; connections++)
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => channels.occupy('app', name, 'node', connections)));
    await until(async () => Number((await changes())[0]!.changed) > 3000, 'the changes are counted');
    const [counted] = await changes();
    expect(Number(counted!.within) / Number(counted!.changed)).toBeGreaterThan(0.95);
  });

  it('deletes keys that have expired', async () => {
    const keys = new PostgresIdempotencyKeys(new SharedDatabase(database()));
    await keys.claim({ appId: 'app', key: 'key', print: 'a'.repeat(64), claimId: '1' });
    await database().execute('UPDATE rookery_idempotency_keys SET expires_at = 1');
    await new SharedStateSweeps(database()).sweep();
    expect(await database().read('SELECT key FROM rookery_idempotency_keys')).toEqual([]);
  });
});
