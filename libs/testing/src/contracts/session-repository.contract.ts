import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SavedSession, SessionName, SessionRepository } from 'rookery/channels';
import type { Found } from 'rookery/internal/common';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';
import { until } from '../until.js';

const tab: SessionName = { appId: 'app', key: 'key', id: 'tab' };
const long = 600;

/** With a UUIDv7 of now. */
function justBegun(): SessionName {
  const time = Date.now().toString(16).padStart(12, '0');
  return { ...tab, id: `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}` };
}

/** A store that just started answers `isLost` instead of undefined. */
const found = (saved: Found<SavedSession>): Found<SavedSession> => (saved?.isLost ? undefined : saved);

/** The contract of every SessionRepository. */
export const describeSessionRepository = contract<SessionRepository>('SessionRepository', [
  {
    promise: 'answers undefined for a new session, and later what any of its connections saved',
    async test(sessions) {
      assert.equal(found(await sessions.open(tab, '1.1', long)) ?? undefined, undefined);
      assert.equal(
        await sessions.save(
          tab,
          '1.1',
          {
            positions: [
              ['a', '7'],
              ['__proto__', '8'],
            ],
          },
          long,
        ),
        'saved',
      );
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '9']], userId: 'é b' }, long), 'saved');
      const saved = await sessions.open(tab, '2.2', long);
      matches(saved, { socketIds: ['1.1'], userId: 'é b' });
      same(
        new Map(saved!.positions),
        new Map([
          ['a', '9'],
          ['__proto__', '8'],
        ]),
      );
      assert.equal(await sessions.save(tab, '2.2', { positions: [['b', '10']] }, long), 'saved');
      const later = await sessions.open(tab, '3.3', long);
      matches(later, { socketIds: ['2.2', '1.1'], userId: 'é b' });
      same(
        new Map(later!.positions),
        new Map([
          ['a', '9'],
          ['__proto__', '8'],
          ['b', '10'],
        ]),
      );
    },
  },
  {
    promise: 'removes a channel whose position is null',
    async test(sessions) {
      await sessions.open(tab, '1.1', long);
      await sessions.save(
        tab,
        '1.1',
        {
          positions: [
            ['a', '7'],
            ['b', '7'],
          ],
        },
        long,
      );
      await sessions.save(
        tab,
        '1.1',
        {
          positions: [
            ['a', null],
            ['c', null],
          ],
        },
        long,
      );
      same((await sessions.open(tab, '2.2', long))?.positions, [['b', '7']]);
    },
  },
  {
    promise: 'accepts no change of a connection once one that was opened later has saved a change',
    async test(sessions) {
      await sessions.open(tab, '1.1', long);
      await sessions.open(tab, '2.2', long);
      assert.equal(await sessions.save(tab, '2.2', { positions: [['b', '8']] }, long), 'saved');
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '7']], userId: 'bob' }, long), 'taken');
      assert.equal(await sessions.save(tab, '0.0', { positions: [['a', '7']] }, long), 'forgotten');
      assert.equal(await sessions.save(tab, '2.2', { positions: [] }, long), 'saved');
      const saved = await sessions.open(tab, '3.3', long);
      matches(saved, { positions: [['b', '8']], socketIds: ['2.2', '1.1'] });
      assert.equal(saved?.userId, undefined);
      assert.equal(await sessions.save(tab, '3.3', { positions: [], userId: 'eve' }, long), 'saved');
      assert.equal(await sessions.save(tab, '2.2', { positions: [['b', '9']] }, long), 'taken');
    },
  },
  {
    promise: 'leaves the session to the connection that saved last while later ones save no change',
    async test(sessions) {
      await sessions.open(tab, '1.1', long);
      await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long);
      for (const left of ['2.2', '3.3']) matches(await sessions.open(tab, left, long), { positions: [['a', '7']] });
      assert.equal(await sessions.save(tab, '3.3', { positions: [] }, long), 'saved');
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '8']] }, long), 'saved');
      matches(await sessions.open(tab, '4.4', long), { positions: [['a', '8']], socketIds: ['3.3', '2.2', '1.1'] });
      // More connections than a store remembers.
      for (let n = 0; n < 40; n++) await sessions.open(tab, `5.${n}`, long);
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '9']] }, long), 'saved');
      matches(await sessions.open(tab, '6.6', long), { positions: [['a', '9']] });
      assert.equal(await sessions.save(tab, '6.6', { positions: [['a', '10']] }, long), 'saved');
      assert.notEqual(await sessions.save(tab, '1.1', { positions: [['a', '9']] }, long), 'saved');
      await sessions.open(tab, '1.1', long, []);
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '9']] }, long), 'taken');
    },
  },
  {
    promise: 'adds a connection that it has forgotten after those that were opened later',
    async test(sessions) {
      await sessions.open(tab, '2.2', long);
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long), 'forgotten');
      assert.equal(found(await sessions.open(tab, '1.1', long, ['0.0']))?.positions.length ?? 0, 0);
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long), 'saved');
      assert.equal(await sessions.save(tab, '2.2', { positions: [['a', '8']] }, long), 'saved');
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long), 'taken');
      matches(await sessions.open(tab, '0.0', long, []), { positions: [['a', '8']], socketIds: ['2.2', '1.1'] });
      assert.equal(await sessions.save(tab, '0.0', { positions: [['a', '6']] }, long), 'taken');
      matches(await sessions.open(tab, '3.3', long), { positions: [['a', '8']], socketIds: ['2.2', '1.1', '0.0'] });
    },
  },
  {
    promise: 'adds a connection that it has forgotten before those that were opened earlier',
    async test(sessions) {
      for (const known of ['1.1', '2.2', '4.4']) await sessions.open(tab, known, long);
      assert.equal(await sessions.save(tab, '2.2', { positions: [['a', '7']] }, long), 'saved');
      await sessions.open(tab, '3.3', long, ['2.2', '1.1']);
      assert.equal(await sessions.save(tab, '3.3', { positions: [['a', '8']] }, long), 'saved');
      assert.equal(await sessions.save(tab, '2.2', { positions: [['a', '9']] }, long), 'taken');
      assert.equal(await sessions.save(tab, '4.4', { positions: [['b', '1']] }, long), 'saved');
      matches(await sessions.open(tab, '5.5', long), { socketIds: ['4.4', '3.3', '2.2', '1.1'] });
    },
  },
  {
    promise: 'isolates sessions by app, key and id',
    async test(sessions) {
      await sessions.open(tab, '1.1', long);
      await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long);
      for (const other of [{ appId: 'app key' }, { key: 'other' }, { id: 'other' }])
        assert.equal(found(await sessions.open({ ...tab, ...other }, '2.2', long)) ?? undefined, undefined);
      assert.equal(
        found(await sessions.open({ appId: 'app', key: 'key tab', id: '' }, '2.2', long)) ?? undefined,
        undefined,
      );
      assert.equal(await sessions.save(tab, '1.1', { positions: [] }, long), 'saved');
    },
  },
  {
    promise: 'says again that a session may be lost, until something is saved of it',
    async test(sessions) {
      const isLost = (await sessions.open(tab, '1.1', long))?.isLost ?? false;
      assert.equal((await sessions.open(tab, '2.2', long))?.isLost ?? false, isLost);
      await sessions.save(tab, '2.2', { positions: [['a', '7']] }, long);
      assert.equal((await sessions.open(tab, '3.3', long))?.isLost ?? false, false);
    },
  },
  {
    promise: 'does not say that a session may be lost whose id says that it has just begun',
    async test(sessions) {
      await sessions.open(tab, '1.1', long);
      // A time that differs from that of the first call, by any clock.
      await until(
        async () => (await sessions.open(justBegun(), '2.2', long))?.isLost !== true,
        'it is known to be new',
        2000,
      );
    },
  },
  {
    promise: 'forgets a session that was not saved in time, and reports it; each save restarts the time',
    async test(sessions) {
      assert.equal(await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long), 'forgotten');
      await sessions.open(tab, '1.1', 0.001);
      await until(
        async () => (await sessions.save(tab, '1.1', { positions: [['a', '7']] }, 0.001)) === 'forgotten',
        'it is forgotten',
        2000,
      );
      assert.equal(found(await sessions.open(tab, '1.1', 0.001)) ?? undefined, undefined);
      await sessions.open(tab, '1.1', long);
      await sessions.save(tab, '1.1', { positions: [['a', '7']] }, long);
      // Longer than the earlier session was to be kept.
      await new Promise((resolve) => setTimeout(resolve, 10));
      matches(await sessions.open(tab, '2.2', long), { positions: [['a', '7']] });
    },
  },
]);
