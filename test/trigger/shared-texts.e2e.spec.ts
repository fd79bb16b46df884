import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BrokerEvent, Position } from 'rookery/channels';
import { type Database, TypeOrmBroker } from 'rookery/typeorm';
import { checkingTexts } from '../../libs/typeorm/src/events/checking-texts.js';
import { forgetting } from '../../libs/typeorm/src/events/forgetting.js';
import { describeDatabases } from '../support/databases.js';
import { RecordedDatabase } from '../support/recorded-database.js';
import { until } from '../support/until.js';

const tables = ['event_order', 'histories', 'kept_events', 'remembered_events', 'shared_texts'];
const bounds = { events: 1000, seconds: 60, bytes: 1_000_000 };
const data = 'x'.repeat(10_000);
const textOn = (channel: string, value = data) => JSON.stringify({ event: 'e', channel, data: value });
const event = (channel: string, value?: string): BrokerEvent => ({
  kind: 'event',
  appId: 'app',
  channel,
  text: textOn(channel, value),
});
const kept = (channel: string, value?: string): BrokerEvent => ({ ...event(channel, value), history: bounds });
/** In a history of a single event. */
const brief = (channel: string, value?: string): BrokerEvent => ({
  ...event(channel, value),
  history: { ...bounds, events: 1 },
});
const channels = (round: number) => Array.from({ length: 100 }, (_, n) => `cache-${round}-${n}`);

describeDatabases('The text of an event of many channels', ({ database }) => {
  const ending: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    for (const table of tables) await database().execute(`DELETE FROM rookery_${table}`);
  });
  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
  });

  async function broker(on: Database = database()): Promise<TypeOrmBroker> {
    const one = new TypeOrmBroker(on);
    await one.onModuleInit();
    ending.push(() => one.onApplicationShutdown());
    return one;
  }

  const count = async (table: string) =>
    Number((await database().read<{ n: number | string }>(`SELECT COUNT(*) AS n FROM rookery_${table}`))[0]!.n);

  /** Without the pages of the file that are free. */
  async function bytesOnDisk(): Promise<number> {
    const size =
      database().dialect.name === 'sqlite'
        ? `SELECT (page_count - freelist_count) * page_size AS n
           FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
        : `SELECT ${tables.map((table) => `pg_total_relation_size('rookery_${table}')`).join(' + ')} AS n`;
    return Number((await database().read<{ n: number | string }>(size))[0]!.n);
  }

  /** So that no row takes the room of one that was deleted. */
  async function compact(): Promise<void> {
    const texts = database().dialect.name === 'sqlite' ? [] : tables.map((table) => `VACUUM FULL rookery_${table}`);
    for (const text of texts) await database().dataSource.query(text);
  }

  const check = (seconds: number) =>
    database().write(() => checkingTexts((Date.now() + seconds * 1000) * 1000, database().dialect));

  it.each([
    ['the last event of cache channels', 3.2, (one: TypeOrmBroker, name: string) => one.publish(event(name), 60)],
    ['an event of histories', 5, (one: TypeOrmBroker, name: string) => one.publish(kept(name))],
  ])('is kept once: %s takes at most %s bytes for each byte sent', async (_, most, publish) => {
    const one = await broker();
    await compact();
    const before = await bytesOnDisk();
    for (let round = 0; round < 20; round++) await Promise.all(channels(round).map((name) => publish(one, name)));
    const perByte = ((await bytesOnDisk()) - before) / (20 * data.length);
    if (process.env['SHOW_FIGURES']) console.log(database().dialect.name, perByte);
    expect(perByte).toBeLessThan(most);
    expect(await count('shared_texts')).toBe(20);
  });

  it('changes nothing for events of one channel, nor for short ones', async () => {
    const recorded = new RecordedDatabase(database());
    const one = await broker(recorded);
    recorded.statements.length = 0;
    await Promise.all([one.publish(kept('orders')), one.publish(kept('orders')), one.publish(kept('news', data + 1))]);
    await Promise.all(['a', 'b'].map((name) => one.publish(kept(name, 'short'))));
    expect(recorded.statements.filter(({ text }) => text.includes('shared_texts'))).toEqual([]);
    const rows = await database().read<{ text: string }>('SELECT text FROM rookery_kept_events ORDER BY position');
    const texts = [textOn('orders'), textOn('orders'), textOn('news', data + 1), textOn('a', 'short')];
    expect(rows.map(({ text }) => text)).toEqual([...texts, textOn('b', 'short')]);
  });

  it('reads as a gap of the channel for a process of the release before', async () => {
    const one = await broker();
    await Promise.all(['cache-a', 'cache-b'].map((name) => one.publish(kept(name), 60)));
    for (const table of ['kept_events', 'remembered_events']) {
      const rows = await database().read<{ text: string }>(`SELECT text FROM rookery_${table} ORDER BY position`);
      const gap = (channel: string) => ({ event: 'rookery:gap', channel, data: JSON.stringify({ channel }) });
      expect(rows.map(({ text }) => JSON.parse(text) as unknown)).toEqual([gap('cache-a'), gap('cache-b')]);
    }
  });

  it('gives way to an event that a process of the release before writes', async () => {
    const one = await broker();
    await Promise.all(['cache-a', 'cache-b'].map((name) => one.publish(event(name), 60)));
    const [{ latest }] = (await database().execute(
      `UPDATE rookery_event_order SET latest = latest + 1 RETURNING latest`,
    )) as [{ latest: Position }];
    const name = 'rookery_remembered_events';
    await database().execute(`UPDATE ${name} SET position = ?, text = 'newer' WHERE name = '3 app cache-a'`, [latest]);
    expect(await one.recall('app', 'cache-a')).toMatchObject({ text: 'newer' });
    expect(await one.recall('app', 'cache-b')).toMatchObject({ text: textOn('cache-b') });
  });

  it.each([
    ['cache channels', (one: TypeOrmBroker, name: string, value?: string) => one.publish(event(name, value), 60)],
    ['histories', (one: TypeOrmBroker, name: string, value?: string) => one.publish(brief(name, value))],
  ])('is deleted once no event of %s has it, and not before', async (_, publish) => {
    const one = await broker();
    await Promise.all(['cache-a', 'cache-b'].map((name) => publish(one, name)));
    await publish(one, 'cache-a', 'newer');
    await trim();
    await check(11);
    expect(await count('shared_texts')).toBe(1);
    await publish(one, 'cache-b', 'newer');
    await trim();
    await check(12);
    expect(await count('shared_texts')).toBe(1);
    await check(22);
    expect(await count('shared_texts')).toBe(0);

    async function trim(): Promise<void> {
      await database().execute('UPDATE rookery_histories SET due_at = 0');
      await database().write(() =>
        forgetting(Date.now() * 1000, database().dialect, { histories: 1, remembered: 1, texts: 1 }),
      );
    }
  });

  it('is checked in steps, and by the broker itself', async () => {
    const one = await broker();
    for (let round = 0; round < 12; round++)
      await Promise.all(['cache-a', 'cache-b'].map((name) => one.publish(event(name, data + round), 60)));
    expect(await check(11)).toBe(true);
    expect(await count('shared_texts')).toBe(2);
    await database().execute('UPDATE rookery_shared_texts SET due_at = 0');
    await until(async () => (await count('shared_texts')) === 1, 'the text before the last is deleted');
    expect(await one.recall('app', 'cache-b')).toMatchObject({ text: textOn('cache-b', `${data}11`) });
  });

  it('counts once after a restart', async () => {
    const one = await broker();
    await Promise.all(channels(0).map((name) => one.publish(event(name), 60)));
    let bytes = 0;
    for await (const page of one.keptSizes()) for (const each of page) bytes += each.bytes;
    expect(bytes).toBeGreaterThan(data.length);
    expect(bytes).toBeLessThan(data.length + 100 * 100);
  });

  // PostgreSQL gathers statistics in the background, at any of these times.
  it.each([
    ['without statistics', undefined],
    ['with statistics of empty tables', 0],
    ['with statistics of a third of the events', 100],
    ['with statistics', 300],
  ])('is found through indexes, %s', async (_, analyzedAt) => {
    const recorded = new RecordedDatabase(database());
    const one = await broker(recorded);
    // So many, and so hard to compress, that reading a table as a whole would look cheaper to no planner.
    for (let round = 0; round <= 300; round++) {
      if (round === analyzedAt) await database().execute('ANALYZE');
      const value = randomBytes(600).toString('hex');
      await Promise.all(
        channels(round)
          .slice(0, 10)
          .map((name) => one.publish(kept(name, value), 60)),
      );
    }
    expect(await count('shared_texts')).toBeGreaterThan(300);
    recorded.statements.length = 0;
    await one.recall('app', 'cache-3-3');
    await one.history('app', 'cache-3-3', 100);
    await recorded.write(() => checkingTexts((Date.now() + 11_000) * 1000, database().dialect));
    expect(recorded.statements.length).toBeGreaterThan(10);
    for (const statement of recorded.statements.filter(({ text }) => !/event_order/.test(text)))
      expect((await recorded.plan(statement)).readWhole).toEqual([]);
  });
});
