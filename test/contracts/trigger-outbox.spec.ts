import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommittedEvent, OutgoingEvent, RelayClaim, TriggerBacklog } from 'rookery/channels';
import type { HostTransaction, Within } from 'rookery/jobs';
import { describeTriggerOutbox, type OutboxOfHost } from '@rookery/testing';
import { dataSourceOptions, TypeOrmTriggerOutbox } from 'rookery/internal/typeorm';
import { describeDatabases } from '../support/databases.js';
import { MemoryTransaction, MemoryTriggerOutbox } from '../support/memory-trigger.outbox.js';
import { brokenPromises } from './broken-promises.js';
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

class WritesOutsideTheTransaction extends MemoryTriggerOutbox {
  override async add(events: readonly OutgoingEvent[], within: Within): Promise<void> {
    await super.add([], within);
    const own = new MemoryTransaction();
    own.events.push(...events);
    this.commit(own);
  }
}
class ReportsTooEarly extends MemoryTriggerOutbox {
  override async add(events: readonly OutgoingEvent[], within: Within): Promise<void> {
    await super.add(events, { ...within, committed: () => undefined });
    within.committed();
  }
}
class AcceptsAnyTransaction extends MemoryTriggerOutbox {
  override async add(events: readonly OutgoingEvent[], within: Within): Promise<void> {
    if (within.transaction instanceof MemoryTransaction) await super.add(events, within);
  }
}
class LastFirst extends MemoryTriggerOutbox {
  override async claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    return (await super.claim(claim)).toReversed();
  }
}
class IgnoresTheCursor extends MemoryTriggerOutbox {
  override claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    return super.claim({ ...claim, after: 0 });
  }
}
class IgnoresTheLimit extends MemoryTriggerOutbox {
  override claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    return super.claim({ ...claim, limit: Infinity });
  }
}
class ManyRelays extends MemoryTriggerOutbox {
  override claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    this.relay = undefined;
    return super.claim(claim);
  }
}
class KeepsTheFirstLease extends MemoryTriggerOutbox {
  override claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    return super.claim({ ...claim, leaseMs: Infinity });
  }
}
class ReleasesForAnyRelay extends MemoryTriggerOutbox {
  override async release(): Promise<void> {
    this.relay = undefined;
  }
}
class NeverDone extends MemoryTriggerOutbox {
  override async done(): Promise<void> {}
}
class HasNoFence extends MemoryTriggerOutbox {
  override done(_owner: string, ids: readonly string[]): Promise<void> {
    return super.done(this.relay?.owner ?? '', ids);
  }
}
class BuriesTooMuch extends MemoryTriggerOutbox {
  override async bury(owner: string): Promise<void> {
    await this.done(
      owner,
      this.events.map(({ id }) => id),
    );
  }
}
class ForgetsTheSocket extends MemoryTriggerOutbox {
  override add(events: readonly OutgoingEvent[], within: Within): Promise<void> {
    return super.add(
      events.map((event) => ({ ...event, socketId: undefined })),
      within,
    );
  }
}
class CountsWrong extends MemoryTriggerOutbox {
  override async backlog(): Promise<TriggerBacklog> {
    return { events: this.events.length };
  }
}

describeNode('the contract of TriggerOutbox', () => {
  describeTriggerOutbox(() => hostOf(new MemoryTriggerOutbox()));

  it.each([
    [WritesOutsideTheTransaction, 'keeps nothing of a transaction that is rolled back, and wakes no relay'],
    [ReportsTooEarly, 'keeps nothing of a transaction that is rolled back, and wakes no relay'],
    [ReportsTooEarly, 'wakes relays after the commit, for each add'],
    [AcceptsAnyTransaction, 'refuses anything that is not a transaction'],
    [LastFirst, 'answers events in the order of the commits, and within a transaction in the order of the calls'],
    [IgnoresTheCursor, 'answers at most the limit, and the rest after a position'],
    [IgnoresTheLimit, 'answers at most the limit, and the rest after a position'],
    [ManyRelays, 'has one relay at a time, until its lease ends or it releases it'],
    [ManyRelays, 'answers the events to only one of several concurrent relays'],
    [KeepsTheFirstLease, 'has one relay at a time, until its lease ends or it releases it'],
    [ReleasesForAnyRelay, 'has one relay at a time, until its lease ends or it releases it'],
    [NeverDone, 'never answers done events again'],
    [HasNoFence, 'lets no relay end events that another one has taken over'],
    [BuriesTooMuch, 'sets aside buried events, and no others'],
    [ForgetsTheSocket, 'answers committed events as they were added'],
    [CountsWrong, 'answers how many events wait, and since when'],
  ])('rejects an implementation that %o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeTriggerOutbox, () => hostOf(new Broken()))).toContain(promise);
  });
});
