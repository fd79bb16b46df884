import { rmSync } from 'node:fs';
import { openDatabase, pendingMigrations } from 'rookery/internal/typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { app, TestCluster } from '../support/cluster.js';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { previousRelease, unpackPreviousRelease } from '../support/previous-release.js';
import { instance } from '../support/push-app.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { fcmError, type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Caller, errorsOf, Member, Page, Steadily } from './upgrading.js';

const phones = 20;
const triggersPerSecond = 20;
const publishesPerSecond = 1;
const users = ['ann', 'ben', 'cleo'];
const waitMs = 30_000;
/**
 * A client that reconnects within this time is not announced as gone. The default of three seconds is too short where
 * one slow core runs all processes, the databases and the clients: a client of a closed connection needs longer there.
 */
const maxAwayMs = 10_000;

describeRedis('three processes on one Redis', () => {
  describePostgres(`and one PostgreSQL are upgraded from ${previousRelease} and back`, () => {
    let postgres: TestPostgres;
    let redis: TestRedis;
    let receiver: WebhookReceiver;
    let google: StandInFcm;
    let previous: ReturnType<typeof unpackPreviousRelease>;
    let cluster: TestCluster;
    let balancer: RoughProxy;
    const ending: (() => unknown)[] = [];

    beforeAll(async () => {
      previous = unpackPreviousRelease();
      await buildServer();
    }, 180_000);
    // Each attempt has servers of its own: one that fails leaves devices, webhooks and half an upgrade behind.
    beforeEach(async () => {
      [postgres, redis, receiver, google] = await Promise.all([
        startPostgres(),
        TestRedis.start(),
        WebhookReceiver.start(),
        standInFcm({ delayMs: 20 }),
      ]);
      cluster = new TestCluster({
        redisUrl: redis.url,
        app: {
          subscriptionCount: true,
          history: [{ channels: 'kept-*', events: 10_000, seconds: 600 }],
          webhooks: [{ url: receiver.url('/channels'), events: ['member_added', 'member_removed'] }],
        },
        file: {
          instances: [{ ...instance, fcm: google.credentials }],
          channels: { drainSeconds: 1, sessions: { pingMs: 100 }, webhooks: { holdMs: maxAwayMs } },
          publish: { pageSize: 5, firstRetryMs: 300 },
        },
        environment: { DATABASE_URL: postgres.url },
      });
      for (let n = 0; n < 3; n++) await cluster.add({}, previous.command);
      let turn = 0;
      balancer = await RoughProxy.start(() => cluster.processes[turn++ % cluster.processes.length]!.port);
    }, 180_000);
    afterEach(async () => {
      for (const end of ending.splice(0).toReversed()) await end();
      await cluster.stop();
      balancer.stop();
      await Promise.all([postgres.stop(), redis.stop(), receiver.close(), google.close()]);
    });
    afterAll(() => rmSync(previous.folder, { recursive: true }));

    /** Starts a process before it stops one, as docs/scaling.md says. */
    async function replace(old: ServerProcess, program?: string): Promise<void> {
      await cluster.add({}, program);
      cluster.processes.splice(cluster.processes.indexOf(old), 1);
      expect(await old.stop()).toBe(0);
    }

    function steadily<Result>(perSecond: number, act: (n: number) => Promise<Result>): Steadily<Result> {
      const steady = new Steadily(perSecond, act);
      // Where one has failed, the test has failed by that.
      ending.push(() => steady.stop().catch(() => undefined));
      return steady;
    }

    async function openPages(): Promise<readonly Page[]> {
      const pages = (['ws', 'ws', 'ws', 'xhr_polling'] as const).map((transport) => new Page(balancer, transport));
      ending.push(() => pages.forEach(({ client }) => client.disconnect()));
      await until(() => pages.every(({ isSubscribed }) => isSubscribed), 'all pages are there', waitMs);
      return pages;
    }

    async function joinRoom(): Promise<readonly Member[]> {
      const members: Member[] = [];
      for (const user of users) members.push(await Member.join(cluster, balancer, user));
      await until(() => members.every(({ roster }) => roster.length === users.length), 'all members are there', waitMs);
      for (const { told } of members) told.splice(0);
      return members;
    }

    /** The letters that a signed-in user gets, and her errors. */
    async function signInAlice(): Promise<{
      readonly letters: readonly string[];
      readonly errors: readonly unknown[];
    }> {
      const alice = await cluster.client(balancer, { user_id: 'alice' });
      const errors = errorsOf(alice);
      const letters: string[] = [];
      alice.bind('letter', (text: string) => letters.push(text));
      alice.signin();
      await until(() => alice.user.user_data !== null, 'Alice is signed in', waitMs);
      return { letters, errors };
    }

    /** What the database lacks that this revision needs. */
    async function pending(): Promise<readonly string[]> {
      const { dataSource } = await openDatabase(postgres.url);
      const names = await pendingMigrations(dataSource);
      await dataSource.destroy();
      return names;
    }

    async function expectCounts(server: ServerProcess, pages: number): Promise<void> {
      const roster = async (): Promise<string> => {
        const { users: members } = await cluster.get(server, '/channels/presence-room/users');
        return (members as { id: string }[])
          .map(({ id }) => id)
          .toSorted()
          .join();
      };
      await until(async () => (await roster()) === users.join(), 'it knows the roster', waitMs);
      const count = async () =>
        (await cluster.get(server, '/channels/kept-news', { info: 'subscription_count' })).subscription_count;
      await until(async () => (await count()) === pages, 'it counts the pages', waitMs);
    }

    async function expectLetter(server: ServerProcess, letters: readonly string[]): Promise<void> {
      const text = `from ${server.port}, ${letters.length}`;
      // Alice may be between two connections.
      const send = () => cluster.server(server).sendToUser('alice', 'letter', text);
      await until(async () => (await send()) && letters.includes(text), `Alice gets the letter ${text}`, waitMs);
    }

    /** A member comes to each process and leaves it, all at once: the others are told once of each. */
    async function expectVisits(visitors: readonly string[], members: readonly Member[]): Promise<void> {
      const toldOf = (change: string) =>
        members.every(({ told }) => visitors.every((visitor) => told.includes(`${change}${visitor}`)));
      const clients = await Promise.all(
        visitors.map(async (visitor, n) => {
          const client = await SocketClient.connect(cluster.processes[n]!.port, app);
          await client.subscribe('presence-room', { user_id: visitor });
          return client;
        }),
      );
      await until(() => toldOf('+'), `all are told that ${visitors.join()} came`, waitMs);
      for (const client of clients) client.close();
      await until(() => toldOf('-'), `all are told that ${visitors.join()} left`, waitMs);
    }

    async function expectCached(server: ServerProcess, other: ServerProcess): Promise<void> {
      const text = `of ${server.port} for ${other.port}`;
      await cluster.server(server).trigger('cache-weather', 'weather', text);
      const client = await SocketClient.connect(other.port, app);
      await client.subscribe('cache-weather');
      expect(await client.next('weather')).toMatchObject({ data: text });
      client.close();
    }

    it('lose no event, member, publish or webhook', { timeout: 240_000 }, async () => {
      const caller = new Caller(balancer);
      await Promise.all(Array.from({ length: phones }, (_, n) => caller.register(`phone-${n}`, 'news')));
      const pages = await openPages();
      const members = await joinRoom();
      const alice = await signInAlice();
      /** Those of each replacement, one to a process. */
      const visits: (readonly string[])[] = [];
      const triggers = steadily(triggersPerSecond, (n) => caller.trigger('kept-news', 'tick', n));
      const publishes = steadily(publishesPerSecond, () => caller.publish('news'));

      expect(await pending(), 'the previous release has other tables').not.toEqual([]);
      for (const program of [undefined, previous.command])
        for (const old of cluster.processes.slice()) {
          // Three publishes are to be sent again to this phone, by whichever process.
          google.answer('phone-3', ...Array(3).fill(fcmError(503, 'UNAVAILABLE')), { status: 200 });
          await replace(old, program);
          expect(await pending()).toEqual([]);
          await until(() => pages.every(({ isSubscribed }) => isSubscribed), 'all pages are back', waitMs);
          for (const [n, server] of cluster.processes.entries()) {
            await expectCounts(server, pages.length);
            await expectLetter(server, alice.letters);
            await expectCached(server, cluster.processes[(n + 1) % 3]!);
          }
          visits.push(cluster.processes.map((_, n) => `visitor-${visits.length}-${n}`));
          await expectVisits(visits.at(-1)!, members);
        }

      const { length } = await triggers.stop();
      await until(() => pages.every(({ heard }) => heard.at(-1) === length - 1), 'all have heard the last', waitMs);
      for (const { heard } of pages) expect(heard).toEqual(Array.from({ length }, (_, n) => n));
      expect(pages.map(({ gaps }) => gaps)).toEqual(pages.map(() => 0));

      for (const { told } of members)
        for (const visitors of visits)
          for (const change of ['+', '-'])
            expect(told.splice(0, visitors.length).toSorted()).toEqual(visitors.map((visitor) => change + visitor));
      expect(members.flatMap(({ told }) => told)).toEqual([]);

      expect([...pages, ...members, alice].flatMap(({ errors }) => errors)).toEqual([]);

      const published = await publishes.stop();
      for (const id of published) {
        const sent = async () => (await caller.publishStatus(id)).platforms.fcm.sent;
        await until(async () => (await sent()) === phones, `all phones have got ${id}`, waitMs);
      }
      expect(google.count).toBe(published.length * phones);

      const hooks = () =>
        (receiver.events('/channels') as { name: string; user_id: string }[]).map(
          ({ name, user_id: user }) => `${name} ${user}`,
        );
      const changes = ['member_added', 'member_removed'].flatMap((name) =>
        [...visits.flat(), ...(name === 'member_added' ? users : [])].map((user) => `${name} ${user}`),
      );
      await until(() => hooks().length >= changes.length, 'all webhooks have come', waitMs);
      expect(hooks().toSorted()).toEqual(changes.toSorted());

      expect(cluster.output.match(/^.*"level":"(error|fatal)".*$/gm)).toBeNull();
      console.log(`${length} events and ${published.length} publishes over ${visits.length} replacements`);
    });
  });
});
