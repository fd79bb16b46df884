import { expect, it } from 'vitest';
import {
  type Database,
  PostgresChannelRepository,
  PostgresIdempotencyKeys,
  PostgresPresenceRepository,
  PostgresReceiptRepository,
  SharedDatabase,
} from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { waiting } from './between-statements.js';

// The functions of shared state read, and then write. No other call gets between their statements, because each begins by
// locking a row until its commit: that of its lane, of its key, of its event, or of the epoch of all processes.

interface Ports {
  readonly shared: SharedDatabase;
  readonly channels: PostgresChannelRepository;
  readonly presence: PostgresPresenceRepository;
  readonly keys: PostgresIdempotencyKeys;
  readonly receipts: PostgresReceiptRepository;
}

function portsOn(database: Database): Ports {
  const shared = new SharedDatabase(database);
  return {
    shared,
    channels: new PostgresChannelRepository(shared),
    presence: new PostgresPresenceRepository(shared),
    keys: new PostgresIdempotencyKeys(shared),
    receipts: new PostgresReceiptRepository(shared),
  };
}

const room = { scope: 'app', name: 'presence-room' };
const holder = (nodeId: string) => ({ nodeId, connectionId: `1.${nodeId}` });
const hour = 3_600_000;
const later = Number.MAX_SAFE_INTEGER;
const key = (appId: string, claimId: string) => ({ appId, key: 'key', print: 'a'.repeat(64), claimId });
const receipt = (userId: string) => ({
  appId: 'app',
  receipt: 'r',
  userId,
  isShown: false,
  at: 1,
  keepMs: hour,
});
const claimDead = async ({ shared }: Ports, by: string) =>
  (await shared.run<{ readonly dead: string | null }>('SELECT rookery_claim_dead(?, 128) AS dead', [by]))[0]!.dead;

/** Two calls, and what they answer when the second comes before the commit of the first. */
interface Calls {
  prepare?(ports: Ports): Promise<unknown>;
  one(ports: Ports): unknown;
  other(ports: Ports): unknown;
  readonly answers: readonly [unknown, unknown];
}

const calls: Readonly<Record<string, Calls>> = {
  'the last place in a room': {
    one: async ({ presence }) => (await presence.join(room, holder('one'), { userId: 'ann' }, 1)).outcome,
    other: async ({ presence }) => (await presence.join(room, holder('other'), { userId: 'bob' }, 1)).outcome,
    answers: ['joined', 'full'],
  },
  'the last two connections of a member': {
    prepare: async ({ presence }) => {
      for (const node of ['one', 'other'])
        await presence.join({ ...room, name: 'last' }, holder(node), { userId: 'ann' }, 1);
    },
    one: async ({ presence }) => (await presence.leave({ ...room, name: 'last' }, holder('one')))!.wasLast,
    other: async ({ presence }) => (await presence.leave({ ...room, name: 'last' }, holder('other')))!.wasLast,
    answers: [false, true],
  },
  'a channel that two processes occupy': {
    one: async ({ channels }) => (await channels.occupy('app', 'news', 'one', 1)).change?.to,
    other: async ({ channels }) => (await channels.occupy('app', 'news', 'other', 1)).change?.to,
    answers: ['occupied', undefined],
  },
  'a channel that is vacated, and occupied': {
    prepare: ({ channels }) => channels.occupy('app', 'orders', 'one', 1),
    one: async ({ channels }) => (await channels.occupy('app', 'orders', 'one', 0)).change?.to,
    other: async ({ channels }) => (await channels.occupy('app', 'orders', 'other', 1)).change,
    answers: ['vacated', expect.objectContaining({ to: 'occupied', isReturn: true })],
  },
  'the last connection of an app': {
    one: ({ channels }) => channels.admit('app', 'one', '1.1', 1),
    other: ({ channels }) => channels.admit('app', 'other', '2.2', 1),
    answers: [true, false],
  },
  'a process that is taken out, and occupies a channel': {
    prepare: ({ channels }) => channels.occupy('app', 'dead', 'dead', 1),
    one: async ({ channels }) => (await channels.takeOut('dead', 'heir')).length,
    other: async ({ channels }) => (await channels.occupy('app', 'dead', 'other', 1)).count,
    answers: [1, 1],
  },
  'an Idempotency-Key twice': {
    one: async ({ keys }) => (await keys.claim(key('app', 'one'))).state,
    other: async ({ keys }) => (await keys.claim(key('app', 'other'))).state,
    answers: ['claimed', 'under way'],
  },
  'a key that is answered, and claimed again': {
    prepare: ({ keys }) => keys.claim(key('answered', 'one')),
    one: ({ keys }) => keys.answer(key('answered', 'one'), 'yes'),
    other: ({ keys }) => keys.claim(key('answered', 'other')),
    answers: [undefined, { state: 'answered', answer: 'yes' }],
  },
  'the last receipt of an event': {
    one: ({ receipts }) => receipts.add([receipt('ann')], 1),
    other: ({ receipts }) => receipts.add([receipt('bob')], 1),
    answers: [[true], [false]],
  },
  'a dead process that two take out': {
    prepare: ({ shared }) =>
      shared.run("INSERT INTO rookery_nodes VALUES ('dead', 0, '{}', NULL), ('one', ?, '{}', NULL)", [later]),
    one: (ports) => claimDead(ports, 'one'),
    other: (ports) => claimDead(ports, 'other'),
    answers: ['dead', null],
  },
};

describePostgres('a call of shared state, before another has committed', () => {
  const { database } = usePostgres();

  /** The ports within a transaction of one connection. */
  async function inTransaction(work: (ports: Ports, commit: () => Promise<void>) => Promise<void>): Promise<void> {
    const runner = database().dataSource.createQueryRunner();
    await runner.startTransaction();
    // A connection runs one statement at a time.
    let last: Promise<unknown> = Promise.resolve();
    const run = (text: string, parameters: unknown[]): unknown =>
      (last = last.then(() => runner.query(database().spelled(text), parameters)));
    const within = new Proxy(database(), {
      get: (target, name) => (name === 'read' || name === 'execute' ? run : (Reflect.get(target, name) as unknown)),
    });
    try {
      await work(portsOn(within), () => runner.commitTransaction());
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it.each(Object.entries(calls))('%s', async (_, { prepare, one, other, answers }) => {
    const ports = portsOn(database());
    await prepare?.(ports);
    await inTransaction(async (within, commit) => {
      const first = await one(within);
      let isOver = false;
      const second = Promise.resolve(other(ports)).finally(() => (isOver = true));
      await until(async () => isOver || (await waiting(database())) > 0, 'the second is done, or waits');
      expect(isOver, 'the second is done').toBe(false);
      await commit();
      expect([first, await second]).toEqual(answers);
    });
  });
});
