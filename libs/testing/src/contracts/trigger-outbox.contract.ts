import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CommittedEvent, OutgoingEvent, RelayClaim, TriggerOutbox } from 'rookery/channels';
import type { HostTransaction } from 'rookery/jobs';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

/** An outbox, and a host with transactions in its database. */
export interface OutboxOfHost {
  readonly outbox: TriggerOutbox;
  /** Commits when the work has settled, unless it throws. */
  transaction(work: (transaction: HostTransaction) => Promise<void>): Promise<void>;
}

const start = 1_700_000_000_000;
const all: RelayClaim = { owner: 'relay', now: start, leaseMs: 1000, after: 0, limit: 100 };

const eventOn = (channel: string, more: Partial<OutgoingEvent> = {}): OutgoingEvent => ({
  id: randomUUID(),
  appId: 'app',
  channel,
  name: 'shipped',
  data: '{"id":1}',
  createdAt: start,
  ...more,
});

async function commit({ outbox, transaction }: OutboxOfHost, ...events: OutgoingEvent[]): Promise<void> {
  await transaction((within) => outbox.add(events, { transaction: within, committed: () => undefined }));
}
const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);
const ids = async (claimed: Promise<readonly CommittedEvent[]>): Promise<string[]> => idsOf(await claimed);

class Rollback extends Error {}

/** The contract of every TriggerOutbox. Times are epoch milliseconds around {@link start}, not the clock's. */
export const describeTriggerOutbox = contract<OutboxOfHost>('TriggerOutbox', [
  {
    promise: 'answers committed events as they were added',
    async test(host) {
      const event = eventOn('private-orders', { data: '"ünïcödé 💬"', socketId: '1.2', name: "it's" });
      await commit(host, event);
      const [found, ...others] = await host.outbox.claim(all);
      const { position, ...rest } = found!;
      same(rest, event);
      assert.ok(position > 0);
      same(others, []);
    },
  },
  {
    promise: 'keeps nothing of a transaction that is rolled back, and wakes no relay',
    async test({ outbox, transaction }) {
      let told = 0;
      const undone = transaction(async (within) => {
        await outbox.add([eventOn('orders')], { transaction: within, committed: () => (told += 1) });
        throw new Rollback();
      });
      await assert.rejects(undone, Rollback);
      same(await outbox.claim(all), []);
      assert.equal(told, 0);
    },
  },
  {
    promise: 'wakes relays after the commit, for each add',
    async test({ outbox, transaction }) {
      let told = 0;
      const committed = () => (told += 1);
      await transaction(async (within) => {
        await outbox.add([eventOn('orders')], { transaction: within, committed });
        await outbox.add([eventOn('orders')], { transaction: within, committed });
        assert.equal(told, 0);
      });
      assert.equal(told, 2);
    },
  },
  {
    promise: 'refuses anything that is not a transaction',
    async test({ outbox }) {
      const added = outbox.add([eventOn('orders')], { transaction: {}, committed: () => undefined });
      await assert.rejects(added, Error);
    },
  },
  {
    promise: 'answers events in the order of the commits, and within a transaction in the order of the calls',
    async test(host) {
      const events = Array.from({ length: 12 }, (_, n) => eventOn(`orders-${n % 3}`));
      await commit(host, ...events.slice(0, 5));
      await commit(host, events[5]!);
      await host.transaction(async (transaction) => {
        for (const event of events.slice(6))
          await host.outbox.add([event], { transaction, committed: () => undefined });
      });
      const found = await host.outbox.claim(all);
      same(idsOf(found), idsOf(events));
      const positions = found.map(({ position }) => position);
      same(
        positions,
        [...new Set(positions)].toSorted((a, b) => a - b),
      );
    },
  },
  {
    promise: 'answers at most the limit, and the rest after a position',
    async test(host) {
      const events = Array.from({ length: 5 }, () => eventOn('orders'));
      await commit(host, ...events);
      const first = await host.outbox.claim({ ...all, limit: 3 });
      same(idsOf(first), idsOf(events.slice(0, 3)));
      const after = first.at(-1)!.position;
      same(await ids(host.outbox.claim({ ...all, limit: 3, after })), idsOf(events.slice(3)));
    },
  },
  {
    promise: 'has one relay at a time, until its lease ends or it releases it',
    async test(host) {
      const event = eventOn('orders');
      await commit(host, event);
      same(await ids(host.outbox.claim(all)), [event.id]);
      const other = { ...all, owner: 'other' };
      same(await host.outbox.claim({ ...other, now: start + 999 }), []);
      same(await ids(host.outbox.claim({ ...all, now: start + 999 })), [event.id]);
      same(await host.outbox.claim({ ...other, now: start + 1998 }), []);
      same(await ids(host.outbox.claim({ ...other, now: start + 1999 })), [event.id]);
      await host.outbox.release('relay');
      same(await host.outbox.claim({ ...all, now: start + 2000 }), []);
      await host.outbox.release('other');
      same(await ids(host.outbox.claim({ ...all, now: start + 2000 })), [event.id]);
    },
  },
  {
    promise: 'answers the events to only one of several concurrent relays',
    async test(host) {
      await commit(host, eventOn('orders'));
      const owners = Array.from({ length: 8 }, (_, n) => `relay-${n}`);
      const raced = await Promise.all(owners.map((owner) => host.outbox.claim({ ...all, owner })));
      assert.equal(raced.filter(({ length }) => length === 1).length, 1);
    },
  },
  {
    promise: 'never answers done events again',
    async test(host) {
      const events = Array.from({ length: 3 }, () => eventOn('orders'));
      await commit(host, ...events);
      await host.outbox.claim(all);
      await host.outbox.done('relay', [events[0]!.id, events[2]!.id]);
      same(await ids(host.outbox.claim(all)), [events[1]!.id]);
    },
  },
  {
    promise: 'lets no relay end events that another one has taken over',
    async test(host) {
      const event = eventOn('orders');
      await commit(host, event);
      await host.outbox.claim(all);
      const later = { ...all, owner: 'other', now: start + 1000 };
      await host.outbox.claim(later);
      await host.outbox.done('relay', [event.id]);
      await host.outbox.bury('relay', event.id, 'no such app', start);
      same(await ids(host.outbox.claim(later)), [event.id]);
    },
  },
  {
    promise: 'sets aside buried events, and no others',
    async test(host) {
      const [gone, sent] = [eventOn('orders'), eventOn('orders')];
      await commit(host, gone, sent);
      await host.outbox.claim(all);
      await host.outbox.bury('relay', gone.id, 'no such app', start);
      same(await ids(host.outbox.claim(all)), [sent.id]);
      matches(await host.outbox.backlog(), { events: 1 });
    },
  },
  {
    promise: 'answers how many events wait, and since when',
    async test(host) {
      same(await host.outbox.backlog(), { events: 0 });
      await commit(host, eventOn('orders', { createdAt: start + 5 }), eventOn('news', { createdAt: start + 9 }));
      same(await host.outbox.backlog(), { events: 2, oldestAt: start + 5 });
    },
  },
]);
