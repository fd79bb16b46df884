import { afterEach, expect, it } from 'vitest';
import type { BrokerEvent, BrokerMessage, Position, Topic } from 'rookery/channels';
import { Membership, openDatabase, SharedDatabase } from 'rookery/internal/typeorm';
import { type Database, PostgresBroker } from 'rookery/typeorm';
import { CarriedMessages } from '../../libs/typeorm/src/cluster/broker/carried-messages.js';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { RecordedDatabase } from '../support/recorded-database.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { until } from '../support/until.js';

describePostgres('PostgresBroker', () => {
  const { database, url } = usePostgres();
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  it('delivers what two processes publish at the same time to both, in one order', async () => {
    const [one, other] = [await process(), await process()];
    for (const { broker } of [one, other]) await broker.subscribe('app', 'news');
    const published = Array.from({ length: 200 }, async (_, n) =>
      [one, other][n % 2]!.broker.publish({ ...event('news', String(n)), ...(n % 5 === 0 && { history }) }),
    );
    await Promise.all(published);
    await until(() => [one, other].every(({ arrived }) => arrived.length >= 200), 'all arrive at both');
    expect(other.arrived).toEqual(one.arrived);
    const positions = one.arrived.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted());
    expect((await other.broker.history('app', 'news', 100)).events).toHaveLength(40);
  });

  it('delivers what follows a subscription, on its channel alone', async () => {
    const [one, other] = [await process(), await process()];
    await other.broker.publish(event('news', 'before'));
    await one.broker.subscribe('app', 'news');
    await other.broker.publish(event('news', 'after'));
    await other.broker.publish(event('sports', 'elsewhere'));
    await other.broker.publish(event('news', 'end'));
    await until(() => textsOf(one.arrived).includes('end'), 'the last arrives');
    expect(textsOf(one.arrived)).toEqual(['after', 'end']);
  });

  it('loses nothing when the connection that listens is cut', async () => {
    const [one, other] = [await process(), await process()];
    await one.broker.subscribe('app', 'news');
    await other.broker.publish(event('news', '1'));
    await until(() => one.arrived.length === 1, 'the first arrives');
    await cutListeners();
    await other.broker.publish(event('news', '2'));
    await until(() => one.arrived.length === 2, 'the second arrives');
    expect(one.lost).toEqual([]);
  });

  it('reports all its channels as lost when messages were deleted that it has not read', async () => {
    const [one, other] = [await process(), await process()];
    await one.broker.subscribe('app', 'news');
    await other.broker.publish(event('news', '1'));
    await until(() => one.arrived.length === 1, 'the first arrives');
    // As if it had been cut off for as long as messages are kept.
    const [latest] = await database().read<{ latest: string }>('SELECT latest FROM rookery_event_order');
    await database().execute('UPDATE rookery_message_epoch SET deleted = ?', [Number(latest!.latest) + 1]);
    await other.broker.publish(event('news', '2'));
    await until(() => one.arrived.length === 2, 'the second arrives');
    expect(one.lost).toEqual([{ appId: 'app', channel: 'news' }]);
  });

  it('reports all its channels as lost after a crash of PostgreSQL, which empties unlogged tables', async () => {
    const [one, other] = [await process(), await process()];
    await one.broker.subscribe('app', 'news');
    await other.broker.publish(event('news', '1'));
    await until(() => one.arrived.length === 1, 'the first arrives');
    await database().execute('TRUNCATE rookery_messages, rookery_message_epoch');
    await other.broker.publish(event('news', '2'));
    await until(() => one.lost.length > 0 && one.arrived.length === 2, 'the loss and the second arrive');
    await other.broker.publish(event('news', '3'));
    await until(() => one.arrived.length === 3, 'the third arrives');
    expect(one.lost).toEqual([{ appId: 'app', channel: 'news' }]);
  });

  it('reads on where it is far behind, without sorting all that it has yet to read', async () => {
    const recorded = new RecordedDatabase(await openDatabase(url()));
    const arrived: BrokerMessage[] = [];
    const receiver = { message: (message: BrokerMessage) => void arrived.push(message), lost: () => {} };
    const carried = new CarriedMessages(recorded, receiver);
    ends.push(async () => {
      await carried.close();
      await recorded.dataSource.destroy();
    });
    await carried.follow(3);
    // All on one channel, and too young for statistics.
    const count = 20_000;
    await database().execute(
      `WITH first AS (UPDATE rookery_event_order SET latest = latest + ? RETURNING latest - ? AS at)
       INSERT INTO rookery_messages SELECT first.at + n, 3, 'app', 'news', '{"kind":"event"}', n::text
       FROM first, generate_series(1, ?) AS n`,
      [count, count, count],
    );
    recorded.statements.length = 0;
    await carried.read();
    expect(recorded.statements).toHaveLength(count / 500 + 1);
    const { lines } = await recorded.plan(recorded.statements[1]!);
    expect(lines.filter((line) => line.includes('on rookery_messages'))).toEqual([
      expect.stringContaining('Index Scan using rookery_messages_pkey'),
    ]);
  });

  it('loses nothing that one publishes alone while another joins', async () => {
    const one = await process();
    await one.broker.subscribe('app', 'news');
    const over = new AbortController();
    const published: string[] = [];
    const publishing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        await one.broker.publish({ ...event('news', String(n)), ...(n % 5 === 0 && { history }) });
        published.push(String(n));
        await new Promise(setImmediate);
      }
    })();
    await until(() => published.length > 20, 'it publishes');
    const other = await process();
    await other.broker.subscribe('app', 'news');
    const from = published.length;
    await until(() => published.length > from + 100, 'it publishes more');
    over.abort();
    await publishing;
    await until(() => textsOf(other.arrived).includes(published.at(-1)!), 'the last arrives');
    expect(textsOf(other.arrived).filter((text) => Number(text) > from)).toEqual(published.slice(from + 1));
    await until(() => one.arrived.length === published.length, 'all arrive at the first');
    expect(textsOf(one.arrived)).toEqual(published);
  });

  it('reports all channels as lost of a process that was cut off while another published alone', async () => {
    const network = await Network.before(url());
    const [one, other] = [await process(), await process(network.url)];
    for (const { broker } of [one, other]) await broker.subscribe('app', 'news');
    await one.broker.publish(event('news', 'before'));
    await until(() => other.arrived.length === 1, 'the first arrives');
    network.cut();
    await isAlone(one);
    await one.broker.publish(event('news', 'missed'));
    network.mend();
    await until(() => !one.membership.isAlone, 'both share');
    await one.broker.publish(event('news', 'after'));
    await until(() => textsOf(other.arrived).includes('after'), 'it reads again');
    expect(textsOf(other.arrived)).toEqual(['before', 'after']);
    // Twice where it reads before both share, as below
    expect(other.lost.length).toBeGreaterThan(0);
    for (const each of other.lost) expect(each).toEqual({ appId: 'app', channel: 'news' });
    await until(() => one.arrived.length === 3, 'the other one has all');
    expect(textsOf(one.arrived)).toEqual(['before', 'missed', 'after']);
    expect(one.lost).toEqual([]);
  }, 60_000);

  it('reports it again where a process reads before it shares: it may have missed more until then', async () => {
    const network = await Network.before(url());
    // It reaches the database, but its lock is lost.
    const [one, other] = [await process(), await process(url(), network.url)];
    for (const { broker } of [one, other]) await broker.subscribe('app', 'news');
    network.cut();
    await isAlone(one);
    await until(() => other.lost.length === 1, 'it reads that another is alone');
    await one.broker.publish(event('news', 'missed'));
    network.mend();
    await until(() => other.lost.length === 2, 'it reports a loss once both share');
    await one.broker.publish(event('news', 'after'));
    await until(() => textsOf(other.arrived).includes('after'), 'it reads again');
    expect(textsOf(other.arrived)).toEqual(['after']);
    expect(other.lost).toHaveLength(2);
  }, 60_000);

  it('reports a channel, too, that gets its first subscriber while another publishes alone', async () => {
    const network = await Network.before(url());
    const [one, other] = [await process(), await process(url(), network.url)];
    await other.membership.settled;
    network.cut();
    await isAlone(one);
    await other.broker.subscribe('app', 'news');
    const { length } = other.lost;
    await one.broker.publish(event('news', 'missed'));
    network.mend();
    await until(() => other.lost.length > length, 'it reports a loss once both share');
    await one.broker.publish(event('news', 'after'));
    await until(() => other.arrived.length > 0, 'it reads again');
    expect(textsOf(other.arrived)).toEqual(['after']);
  }, 60_000);

  it('lets a process be alone again once the other is gone, and no sooner', async () => {
    const [one, other] = [await process(), await process()];
    await other.broker.subscribe('app', 'news');
    await until(() => !one.membership.isAlone, 'the first shares');
    expect(other.membership.isAlone).toBe(false);
    one.membership.counted(1);
    await until(() => !one.membership.isAlone, 'it asks for the lock in vain');
    await other.membership.onApplicationShutdown();
    await isAlone(one);
  });

  /** One of several, each with connections of its own. */
  async function process(at = url(), listenUrl?: string) {
    const own: Database = await openDatabase(at, undefined, listenUrl);
    const membership = new Membership(own);
    const broker = new PostgresBroker(own, new SharedDatabase(own), membership);
    const [arrived, lost]: [Arrival[], Topic[]] = [[], []];
    broker.receive({
      message: (message, position) => void arrived.push({ message, position }),
      lost: (topics) => void lost.push(...topics),
    });
    await membership.onModuleInit();
    await broker.onModuleInit();
    ends.push(async () => {
      await broker.onApplicationShutdown();
      await membership.onApplicationShutdown();
      await own.close();
    });
    return { broker, membership, arrived, lost };
  }

  /** Waits until it takes itself to be the only one, as it does when the leases of the others have ended. */
  const isAlone = ({ membership }: { readonly membership: Membership }): Promise<void> =>
    until(
      () => {
        membership.counted(1);
        return membership.isAlone;
      },
      'it is alone',
      20_000,
    );

  /** Once they listen: a message may arrive without a notice before. */
  async function cutListeners(): Promise<void> {
    const cut = () =>
      database().execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~* '^LISTEN rookery_messages'",
      );
    await until(async () => (await cut()).length > 0, 'connections that listen are cut');
  }
});

/** The network between a process and PostgreSQL. */
class Network {
  private isCut = false;

  private constructor(
    private readonly direct: URL,
    private proxy?: RoughProxy,
  ) {}

  static async before(url: string): Promise<Network> {
    const network = new Network(new URL(url));
    const port = Number(network.direct.port);
    network.proxy = await RoughProxy.start(() => (network.isCut ? new Promise<never>(() => {}) : port));
    return network;
  }

  get url(): string {
    return Object.assign(new URL(this.direct), { port: String(this.proxy!.port) }).href;
  }

  cut(): void {
    this.isCut = true;
    this.proxy!.be('cut');
  }

  /** Those that have waited meanwhile try again. */
  mend(): void {
    this.isCut = false;
    this.proxy!.be('cut');
  }
}

interface Arrival {
  readonly message: BrokerMessage;
  readonly position: Position;
}

const history = { events: 100, seconds: 60, bytes: 100_000 };
const event = (channel: string, text: string): BrokerEvent => ({ kind: 'event', appId: 'app', channel, text });
const textsOf = (arrived: readonly Arrival[]) =>
  arrived.map(({ message }) => (message.kind === 'event' ? message.text : message.kind));
