import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostTransaction } from 'rookery/jobs';
import { type DescribeContract, describeTriggerOutbox, type OutboxOfHost } from '@rookery/testing';
import { dataSourceOptions, TypeOrmTriggerOutbox } from 'rookery/internal/typeorm';
import { describeDatabases } from '../support/databases.js';
import { MemoryTransaction, MemoryTriggerOutbox } from '../support/memory-trigger.outbox.js';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

describeDatabases('TypeOrmTriggerOutbox', ({ database, url }) => {
  let host: DataSource;
  beforeAll(async () => void (host = await new DataSource(dataSourceOptions(url())).initialize()));
  afterAll(() => host.destroy());
  const emptied = async (): Promise<void> => {
    for (const table of ['rookery_triggers', 'rookery_trigger_relays'])
      await database().execute(`DELETE FROM ${table}`);
  };
  const on = (dataSource: DataSource): OutboxOfHost => ({
    outbox: new TypeOrmTriggerOutbox(database()),
    transaction: (work) => dataSource.transaction(work),
  });

  describe("in the transactions of the host's data source", () => {
    describeTriggerOutbox(async () => {
      await emptied();
      return on(host);
    });
  });

  describe('in those of its own', () => {
    describeTriggerOutbox(async () => {
      await emptied();
      return on(database().dataSource);
    });
  });

  describe('with savepoints', () => {
    beforeEach(emptied);
    it('keeps events that were not rolled back, and wakes relays only at the commit', async () => {
      const { outbox } = on(host);
      let told = 0;
      const add = (transaction: HostTransaction, name: string) =>
        outbox.add([{ id: randomUUID(), appId: 'a', channel: 'c', name, data: '', createdAt: 1 }], {
          transaction,
          committed: () => (told += 1),
        });
      await host.transaction(async (manager) => {
        await manager.transaction((inner) => add(inner, 'kept'));
        expect(told).toBe(0);
        const undone = manager.transaction(async (inner) => {
          await add(inner, 'undone');
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
      });
      expect(told).toBeGreaterThan(0);
      const claim = { owner: 'relay', now: 1, leaseMs: 1, after: 0, limit: 9 };
      expect((await outbox.claim(claim)).map(({ name }) => name)).toEqual(['kept']);
    });
  });
});

const hostOf = (outbox: MemoryTriggerOutbox): OutboxOfHost => ({
  outbox,
  async transaction(work) {
    const transaction = new MemoryTransaction();
    await work(transaction);
    outbox.commit(transaction);
  },
});

const describeOnHost: DescribeContract<MemoryTriggerOutbox> = (fresh, runner) =>
  describeTriggerOutbox(async (atEnd) => hostOf(await fresh(atEnd)), runner);

const inMemory = () => new MemoryTriggerOutbox();

describeNode('MemoryTriggerOutbox', () => {
  describeOnHost(inMemory);
});

describeBrokenDoubles('TriggerOutbox', describeOnHost, inMemory, (right, double) => ({
  'keeps nothing of a transaction that is rolled back, and wakes no relay': [
    double('writes outside the transaction', {
      async add(events, within) {
        await right.add([], within);
        const own = new MemoryTransaction();
        own.events.push(...events);
        right.commit(own);
      },
    }),
    double('reports too early', {
      async add(events, within) {
        await right.add(events, { ...within, committed: () => undefined });
        within.committed();
      },
    }),
  ],
  'wakes relays after the commit, for each add': 'reports too early',
  'refuses anything that is not a transaction': double('accepts any transaction', {
    async add(events, within) {
      if (within.transaction instanceof MemoryTransaction) await right.add(events, within);
    },
  }),
  'answers events in the order of the commits, and within a transaction in the order of the calls': [
    double('answers the last first', { claim: async (claim) => (await right.claim(claim)).toReversed() }),
  ],
  'answers at most the limit, and the rest after a position': [
    double('ignores the cursor', { claim: (claim) => right.claim({ ...claim, after: 0 }) }),
    double('ignores the limit', { claim: (claim) => right.claim({ ...claim, limit: Infinity }) }),
  ],
  'has one relay at a time, until its lease ends or it releases it': [
    double('has many relays', {
      claim(claim) {
        right.relay = undefined;
        return right.claim(claim);
      },
    }),
    double('keeps the first lease', { claim: (claim) => right.claim({ ...claim, leaseMs: Infinity }) }),
    double('releases for any relay', { release: async () => void (right.relay = undefined) }),
  ],
  'answers the events to only one of several concurrent relays': 'has many relays',
  'never answers done events again': double('never ends an event', { done: async () => {} }),
  'lets no relay end events that another one has taken over': double('has no fence', {
    done: (_, ids) => right.done(right.relay?.owner ?? '', ids),
  }),
  'sets aside buried events, and no others': double('buries too much', {
    bury: (owner) =>
      right.done(
        owner,
        right.events.map(({ id }) => id),
      ),
  }),
  'answers committed events as they were added': double('forgets the socket', {
    add: (events, within) => right.add(eachWith(events, { socketId: undefined }), within),
  }),
  'answers how many events wait, and since when': double('does not say since when', {
    backlog: async () => ({ events: right.events.length }),
  }),
}));
