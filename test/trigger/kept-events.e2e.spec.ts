import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Broker,
  type BrokerEvent,
  type BrokerMessage,
  ChannelsMetrics,
  ChannelsSettings,
  type KeptSize,
  type SessionName,
} from 'rookery/channels';
import { RemoteBroker } from '../../apps/server/src/workers/remote-ports.js';
import { SharedPorts } from '../../apps/server/src/workers/shared-ports.js';
import { appFrom } from '../../libs/channels/src/app/app.js';
import { KeptBytes } from '../../libs/channels/src/events/kept-bytes.js';
import { checkTrigger } from '../../libs/channels/src/events/trigger-request.js';
import { settingsOf, Unavailable } from '#common';
import {
  backUp,
  type Database,
  openDatabase,
  TypeOrmBroker,
  TypeOrmSessionRepository,
  type Work,
} from 'rookery/internal/typeorm';
import { describeDatabases, useSqlite } from '../support/databases.js';
import { LinkedWorker } from '../support/linked-worker.js';
import { newSessionId } from '@rookery/client';
import { RecordedDatabase } from '../support/recorded-database.js';
import { until } from '../support/until.js';
import { describeNode } from '../support/services.js';

const bounds = { events: 1000, seconds: 60, bytes: 1_000_000 };
const event = (channel: string, text: string): BrokerEvent => ({ kind: 'event', appId: 'app', channel, text });
const kept = (channel: string, text: string, history = bounds): BrokerEvent => ({ ...event(channel, text), history });
const tab: SessionName = { appId: 'app', key: 'key', id: 'tab' };
const day = 86_400;

/** A database that refuses writes while it is told to. */
class Refusing extends RecordedDatabase {
  isFull = false;
  override async write<T>(work: () => Work<T>): Promise<T> {
    if (!this.isFull) return super.write(work);
    work();
    throw new Unavailable('The database');
  }
}

const unstorable = 'a\0b';

/** PostgreSQL refuses NUL; with this, SQLite does so, too. */
class Picky extends RecordedDatabase {
  override write<T>(work: () => Work<T>): Promise<T> {
    return super.write(() => this.checked(work()));
  }
  private *checked<T>(work: Work<T>): Work<T> {
    let step = work.next([]);
    while (!step.done) {
      if (step.value.parameters.includes(unstorable)) throw new Error('invalid byte sequence');
      step = work.next(yield step.value);
    }
    return step.value;
  }
}

describeDatabases('What is kept', ({ database }) => {
  const ending: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    for (const table of [
      'event_order',
      'histories',
      'kept_events',
      'remembered_events',
      'shared_texts',
      'sessions',
      'session_positions',
    ])
      await database().execute(`DELETE FROM rookery_${table}`);
  });
  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
  });

  async function broker(on: Database = database()): Promise<TypeOrmBroker> {
    const made = new TypeOrmBroker(on);
    await made.onModuleInit();
    ending.push(() => made.onApplicationShutdown());
    return made;
  }

  function sessions(on: Database = database(), maxBytes?: number): TypeOrmSessionRepository {
    const made = new TypeOrmSessionRepository(on, maxBytes);
    ending.push(() => made.onApplicationShutdown());
    return made;
  }

  it('is measured for the next process: last events and histories, with their bounds', async () => {
    const first = await broker();
    const text = '中'.repeat(100);
    const other = { ...event('cache-a', 'b'), appId: 'o t h e r' };
    await Promise.all([
      ...Array.from({ length: 1200 }, (_, n) => first.publish(event(`cache-${n}`, text), 60)),
      first.publish(other, 60),
      ...Array.from({ length: 5 }, () => first.publish(kept('orders', text, { ...bounds, events: 3 }))),
    ]);
    const next = await broker();
    const sizes = new Map<string, KeptSize>();
    for await (const page of next.keptSizes())
      for (const each of page) sizes.set(`${each.appId}/${each.channel}`, each);
    expect(sizes.size).toBe(1202);
    expect(sizes.get('app/cache-7')).toMatchObject({ bytes: 300 });
    expect(sizes.get('app/cache-7')?.cacheSeconds).toBeGreaterThan(50);
    expect(sizes.get('o t h e r/cache-a')).toMatchObject({ bytes: 1 });
    // One that is beyond the bounds may not be deleted yet.
    const { bytes, events, history } = sizes.get('app/orders')!;
    expect(history).toEqual({ ...bounds, events: 3 });
    expect(bytes).toBe(300 * events!);
    expect(events).toBeGreaterThanOrEqual(3);
  });

  it('counts towards the budget of the app after a restart', async () => {
    const app = appFrom({ id: 'app', key: 'key', secret: 'secret', history: [{ channels: 'kept-*' }] });
    const settings = settingsOf(ChannelsSettings, { limits: { keptBytes: 10_000, processKeptBytes: 20_000 } });
    const life = async (on: Broker) => {
      const kept = new KeptBytes(settings, new ChannelsMetrics(), on);
      await kept.onApplicationBootstrap();
      return async (channel: string, bytes: number) => {
        const data = 'x'.repeat(bytes);
        kept.assertRoomFor(app, [checkTrigger({ name: 'e', channel, data }, settings.limits)]);
        const history = channel.startsWith('kept-') ? bounds : undefined;
        const cacheSeconds = history ? undefined : 60;
        kept.keep('app', channel, { bytes, cacheSeconds, history });
        await on.publish({ ...event(channel, data), ...(history && { history }) }, cacheSeconds);
      };
    };
    const before = await life(await broker());
    await before('cache-1', 4000);
    await before('kept-1', 4000);
    const shared = new SharedPorts({ broker: await broker() });
    const workers = [0, 1].map(() =>
      Object.assign(new RemoteBroker(new LinkedWorker(shared).link), { room: { processes: 2 } }),
    );
    // Each of the two has half of the limit, and counts half of what is kept.
    for (const inWorker of await Promise.all(workers.map(life))) {
      await expect(inWorker('cache-2', 1000)).rejects.toMatchObject({ status: 429 });
      await inWorker('cache-2', 500);
    }
    const after = await life(await broker());
    await expect(after('cache-3', 4000)).rejects.toMatchObject({ status: 429 });
    await after('cache-1', 4000);
    await after('cache-3', 500);
  });

  const count = async (table: string): Promise<number> => {
    const [row] = await database().read<{ n: number | string }>(`SELECT COUNT(*) AS n FROM rookery_${table}`);
    return Number(row!.n);
  };

  const age = (seconds: number) =>
    database().execute('UPDATE rookery_event_order SET first = first - ?, forgotten = forgotten - ?', [
      seconds * 1_000_000,
      seconds * 1_000_000,
    ]);

  describe('of events', () => {
    it('is there for the next process, whose positions continue, though the first was killed', async () => {
      const first = await broker();
      const positions: string[] = [];
      for (const text of ['1', '2', '3']) positions.push(await first.publish(kept('orders', text)));
      const cached = await first.publish(event('cache-a', 'last'), 60);
      const next = await broker();
      expect(await next.history('app', 'orders', 10, positions[0])).toMatchObject({
        events: [
          { text: '2', position: positions[1] },
          { text: '3', position: positions[2] },
        ],
        isComplete: true,
      });
      expect(await next.recall('app', 'cache-a')).toMatchObject({ text: 'last', position: cached });
      const plain = await next.publish(event('orders', 'plain'));
      const fourth = await next.publish(kept('orders', '4'));
      expect(plain > cached && fourth > plain).toBe(true);
      expect(await next.history('app', 'orders', 10, positions[2])).toMatchObject({
        events: [{ text: '4' }],
        isComplete: true,
      });
    });

    it('is nothing of another database, and says so', async () => {
      const position = await (await broker()).publish(kept('orders', '1'));
      for (const table of ['event_order', 'histories', 'kept_events'])
        await database().execute(`DELETE FROM rookery_${table}`);
      const emptiedAt = Date.now();
      await until(() => Date.now() > emptiedAt, 'the order begins at another time');
      const next = await broker();
      expect(await next.history('app', 'orders', 10, position)).toMatchObject({ events: [], isComplete: false });
      await next.publish(kept('orders', '2'));
      expect((await next.history('app', 'orders', 10, position)).isComplete).toBe(false);
    });

    it('costs other messages nothing: they arrive at once, without the database', async () => {
      const recorded = new RecordedDatabase(database());
      const one = await broker(recorded);
      const arrived: BrokerMessage[] = [];
      one.receive({ message: (message) => void arrived.push(message), lost: () => {} });
      const before = recorded.statements.length;
      const writing = one.publish(kept('orders', '1'));
      expect(typeof one.publish(event('news', '2'))).toBe('string');
      expect(arrived).toEqual([event('news', '2')]);
      await writing;
      const after = recorded.statements.length;
      expect(after).toBeGreaterThan(before);
      for (let n = 0; n < 100; n++) expect(typeof one.publish(event('orders', String(n)))).toBe('string');
      expect(recorded.statements).toHaveLength(after);
    });

    it('is written together: many events need few statements', async () => {
      const recorded = new RecordedDatabase(database());
      const one = await broker(recorded);
      const before = recorded.statements.length;
      await Promise.all(Array.from({ length: 100 }, (_, n) => one.publish(kept(`orders-${n % 10}`, String(n)))));
      expect(recorded.statements.length - before).toBeLessThan(30);
      expect(await count('kept_events')).toBe(100);
    });

    it('is written together with what the next turns of the event loop bring', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      ending.push(async () => void vi.useRealTimers());
      const recorded = new RecordedDatabase(database());
      const one = await broker(recorded);
      const published: unknown[] = [];
      for (let n = 0; n < 10; n++) {
        published.push(one.publish(kept('orders', String(n))));
        await nextTurn();
      }
      await Promise.all(published);
      const writes = recorded.statements.filter(({ text }) => text.startsWith('UPDATE rookery_event_order'));
      expect(writes).toHaveLength(1);
      expect(await count('kept_events')).toBe(10);
    });

    it('is refused where the database refuses it, and nothing else is', async () => {
      const refusing = new Refusing(database());
      const one = await broker(refusing);
      const arrived: BrokerMessage[] = [];
      one.receive({ message: (message) => void arrived.push(message), lost: () => {} });
      refusing.isFull = true;
      const refused = Promise.resolve(one.publish(kept('orders', '1'))).catch((error: unknown) => error);
      const plain = one.publish(event('orders', '2'));
      expect(await refused).toBeInstanceOf(Unavailable);
      expect(await plain).toEqual(expect.any(String));
      expect(arrived).toEqual([event('orders', '2')]);
      refusing.isFull = false;
      await one.publish(kept('orders', '3'));
      expect((await one.history('app', 'orders', 10)).events).toMatchObject([{ text: '3' }]);
    });

    it('is accepted beside an event that the database cannot store, which alone fails', async () => {
      const one = await broker(new Picky(database()));
      const arrived: BrokerMessage[] = [];
      one.receive({ message: (message) => void arrived.push(message), lost: () => {} });
      const texts = Array.from({ length: 21 }, (_, n) => (n === 13 ? unstorable : String(n)));
      const published = texts.flatMap((text) => [
        one.publish(kept('orders', text)),
        one.publish(event('orders', text)),
      ]);
      const outcomes = await Promise.allSettled(published);
      expect(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? at : []))).toEqual([26]);
      const good = texts.filter((text) => text !== unstorable);
      expect(arrived.map((message) => 'text' in message && message.text)).toEqual(
        texts.flatMap((text) => (text === unstorable ? text : [text, text])),
      );
      expect((await one.history('app', 'orders', 100)).events.map(({ text }) => text)).toEqual(good);
      const positions = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
      expect(positions.toSorted()).toEqual(positions);
    });

    it('is deleted beyond the bounds, a few hundred events at a time', async () => {
      const recorded = new RecordedDatabase(database());
      const one = await broker(recorded);
      await Promise.all(Array.from({ length: 3000 }, (_, n) => one.publish(kept('orders', String(n)))));
      await Promise.all(
        Array.from({ length: 16 }, (_, n) => one.publish(kept('orders', `x${n}`, { ...bounds, events: 10 }))),
      );
      await until(async () => (await count('kept_events')) < 60, 'most are deleted');
      expect((await one.history('app', 'orders', 100)).events.map(({ text }) => text)).toEqual(
        Array.from({ length: 10 }, (_, n) => `x${n + 6}`),
      );
      const looks = recorded.statements.filter(({ text }) => text.includes('AS oldest'));
      expect(looks.length).toBeGreaterThanOrEqual(2900 / 500);
      for (const { parameters } of looks) expect(parameters[1]).toBeLessThanOrEqual(500);
    });

    it('is deleted in smaller steps where events are large', async () => {
      const recorded = new RecordedDatabase(database());
      const one = await broker(recorded);
      const large = 'x'.repeat(150_000);
      await Promise.all(
        Array.from({ length: 80 }, () => one.publish(kept('orders', large, { ...bounds, events: 10 }))),
      );
      // Step after step, not one a second.
      await until(async () => (await count('kept_events')) <= 10, 'they are deleted');
      const looks = recorded.statements.filter(({ text }) => text.includes('AS oldest'));
      expect(looks.length).toBeGreaterThanOrEqual(7);
      for (const { parameters } of looks) expect(parameters[1]).toBeLessThanOrEqual(10);
    });

    it('is deleted at once where many cache channels end together', async () => {
      const one = await broker();
      await Promise.all(Array.from({ length: 1000 }, (_, n) => one.publish(event(`cache-${n}`, '1'), 0.01)));
      const start = performance.now();
      await until(async () => (await count('remembered_events')) === 0, 'they are deleted');
      // The sweep comes once a second.
      expect(performance.now() - start).toBeLessThan(5000);
    });

    it('is deleted when it is too old, and then the channel is forgotten, which says so', async () => {
      const one = await broker();
      const before = (await one.history('app', 'orders', 0)).now;
      await one.publish(kept('orders', '1', { ...bounds, seconds: 0.01 }));
      await one.publish(event('cache-a', '1'), 0.01);
      await until(async () => (await count('kept_events')) + (await count('remembered_events')) === 0, 'it is deleted');
      expect((await one.history('app', 'orders', 10, before)).isComplete).toBe(false);
      // Three days later.
      await database().execute('UPDATE rookery_histories SET latest = latest - ?, due_at = 1', [3 * day * 1_000_000]);
      await until(async () => (await count('histories')) === 0, 'the channel is forgotten');
      const longAgo = String(Number(before) - 4 * day * 1_000_000);
      await age(10 * day);
      await database().execute('UPDATE rookery_event_order SET forgotten = ?', [Number(before) - 3 * day * 1_000_000]);
      expect((await one.history('app', 'orders', 10, longAgo)).isComplete).toBe(false);
      expect((await one.history('app', 'orders', 10, before)).isComplete).toBe(true);
    });
  });

  describe('of sessions', () => {
    it('has a new channel at once, and its later positions within a second', async () => {
      await broker();
      await age(2 * day);
      const one = sessions();
      await one.open(tab, '1.1', day);
      await one.save(tab, '1.1', { positions: [['orders', '7']] }, day);
      expect((await sessions().open(tab, '2.2', day))?.positions).toEqual([['orders', '7']]);

      const other = { ...tab, id: 'other' };
      await one.open(other, '1.1', day);
      await one.save(other, '1.1', { positions: [['orders', '7']] }, day);
      await one.save(other, '1.1', { positions: [['orders', '8']] }, day);
      const stored = async () => {
        const rows = await database().read<{ position: string }>(
          "SELECT position FROM rookery_session_positions WHERE session LIKE '%other%'",
        );
        return rows.map(({ position }) => position);
      };
      await until(async () => (await stored()).join() === '8', 'it is written', 1000);
    });

    it('costs what has changed, however many channels a session has', async () => {
      const recorded = new RecordedDatabase(database());
      const one = sessions(recorded);
      await one.open(tab, '1.1', day);
      const written = () =>
        recorded.statements.reduce((bytes, { parameters }) => bytes + JSON.stringify(parameters).length, 0);
      const before = written();
      for (let n = 0; n < 1000; n++) await one.save(tab, '1.1', { positions: [[`orders-${n}`, '7']] }, day);
      expect((written() - before) / 1000).toBeLessThan(200);
      expect((await sessions().open(tab, '2.2', day))?.positions).toHaveLength(1000);
    });

    it('saves the others when one of them cannot be stored', async () => {
      const one = sessions(new Picky(database()));
      const tabs = Array.from({ length: 9 }, (_, n) => ({ ...tab, id: `tab-${n}` }));
      for (const each of tabs) await one.open(each, '1.1', day);
      const saving = tabs.map((each, n) =>
        one.save(each, '1.1', { positions: [[n === 4 ? unstorable : 'orders', '7']] }, day),
      );
      const outcomes = await Promise.allSettled(saving);
      expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? n : []))).toEqual([4]);
      expect(await count('session_positions')).toBe(8);
    });

    it('is forgotten early where there is no room, of the app with the most, and may be lost from then on', async () => {
      await broker();
      await age(2 * day);
      const save = async (on: TypeOrmSessionRepository, appId: string, id: number) => {
        const name = { ...tab, appId, id: String(id) };
        await on.open(name, '1.1', day);
        const positions = Array.from({ length: 50 }, (_, n) => [`orders-${n}`, '7'] as const);
        await on.save(name, '1.1', { positions }, day);
      };
      const earlier = sessions();
      await save(earlier, 'small', 0);
      for (let id = 0; id < 20; id++) await save(earlier, 'large', id);
      const one = sessions(database(), 100_000);
      const open = (appId: string, id: string) => one.open({ ...tab, appId, id }, '2.2', day);
      await until(async () => (await open('large', 'new'))?.isLost === true, 'some are forgotten');
      expect((await open('small', '0'))?.positions).toHaveLength(50);
      expect(await open('small', 'new')).toBeUndefined();
      expect(await open('large', '0')).toEqual({ socketIds: [], positions: [], isLost: true });
      expect((await open('large', '19'))?.positions).toHaveLength(50);
      expect(await count('session_positions')).toBe(50 * (await count('sessions')));
    });

    it('is known from the rows of the release before', async () => {
      await database().execute('INSERT INTO rookery_sessions (name, state, opened_at, ends_at) VALUES (?, ?, 1, ?)', [
        JSON.stringify(['app', 'key', 'tab']),
        JSON.stringify({ c: ['1.1'], h: '1.1', p: [['orders', '7']] }),
        Date.now() + 60_000,
      ]);
      const one = sessions();
      expect((await one.open(tab, '2.2', day))?.positions).toEqual([['orders', '7']]);
      await one.save(tab, '2.2', { positions: [['news', '8']] }, day);
      expect(new Map((await sessions().open(tab, '3.3', day))!.positions)).toEqual(
        new Map([
          ['orders', '7'],
          ['news', '8'],
        ]),
      );
    });

    it('is not overwritten by a process that has them no longer', async () => {
      const [old, next] = [sessions(), sessions()];
      await old.open(tab, '1.1', day);
      await old.save(tab, '1.1', { positions: [['orders', '7']] }, day);
      await next.open(tab, '2.2', day);
      await next.save(tab, '2.2', { positions: [['news', '9']] }, day);
      await old.save(tab, '1.1', { positions: [['late', '1']] }, day);
      const saved = await sessions().open(tab, '3.3', day);
      expect(new Map(saved!.positions)).toEqual(
        new Map([
          ['orders', '7'],
          ['news', '9'],
        ]),
      );
    });

    it('may be lost while the database is younger than sessions are kept', async () => {
      await broker();
      expect(await sessions().open(tab, '1.1', day)).toEqual({ socketIds: [], positions: [], isLost: true });
      const earlier = newSessionId();
      // By more than a client's clock may be off.
      await database().execute('UPDATE rookery_event_order SET first = ?', [(Date.now() + 60_001) * 1000]);
      expect(await sessions().open({ ...tab, id: earlier }, '1.1', day)).toMatchObject({ isLost: true });
      await age(61);
      expect(await sessions().open({ ...tab, id: newSessionId() }, '1.1', day)).toBeUndefined();
      await age(day + 1);
      expect(await sessions().open({ ...tab, id: 'new' }, '1.1', day)).toBeUndefined();
    });

    it('is deleted when it is over', async () => {
      const one = sessions();
      const seconds = 2;
      await one.open(tab, '1.1', seconds);
      await one.save(tab, '1.1', { positions: [['orders', '7']] }, seconds);
      expect(await count('sessions')).toBe(1);
      // An idle process looks every 15 s.
      await until(async () => (await count('sessions')) === 0, 'it is deleted', 25_000);
      expect(await count('session_positions')).toBe(0);
    }, 40_000);
  });
});

describeNode('A backup that is restored', () => {
  const { database, url } = useSqlite();

  it('tells clients of a gap: it lacks the events since', async () => {
    const broker = new TypeOrmBroker(database());
    await broker.onModuleInit();
    const position = await broker.publish(kept('orders', '1'));
    const sessions = new TypeOrmSessionRepository(database());
    await sessions.open(tab, '1.1', day);
    await sessions.save(tab, '1.1', { positions: [['orders', position]] }, day);
    await database().execute('UPDATE rookery_event_order SET first = 1');
    const copy = join(dirname(url().slice('sqlite:'.length)), 'copy.db');
    await backUp(database(), copy);
    await broker.publish(kept('orders', 'lost'));
    for (const each of [broker, sessions]) await each.onApplicationShutdown();

    const restored = await openDatabase(`sqlite:${copy}`);
    const next = new TypeOrmBroker(restored);
    await next.onModuleInit();
    expect((await next.history('app', 'orders', 10, position)).isComplete).toBe(false);
    const opened = new TypeOrmSessionRepository(restored);
    expect(await opened.open({ ...tab, id: 'since' }, '1.1', day)).toMatchObject({ isLost: true });
    for (const each of [next, opened]) await each.onApplicationShutdown();
    await restored.close();
  });
});
