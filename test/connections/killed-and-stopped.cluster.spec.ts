import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, type ClusterSettings } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeInstalled } from '../support/programs.js';
import { ProxiedCluster } from '../support/proxied-cluster.js';
import { proxies, type Proxy } from '../support/proxies.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';
import { Member, Page } from '../upgrades/upgrading.js';

const users = ['ann', 'ben', 'cleo', 'dan', 'eve', 'finn'];
const patienceMs = 60_000;
/**
 * More than the stopped process can hold up: nginx gives it requests until it has as many connections as another one,
 * which has at most one for each page and member, and these requests wait until it is continued.
 */
const senders = 16;
/** Longer than a lease, and than messages stay in PostgreSQL. */
const stoppedMs = 40_000;
/** How long a process may keep the others from publishing, and some more for a crowded machine. */
const heldUpMs = 5000 + 5000;

/** Of the errors of clients, but for those of connections that break. */
const codesOf = (clients: readonly { readonly errors: readonly unknown[] }[]): readonly (number | undefined)[] =>
  clients
    .flatMap(({ errors }) => errors as readonly { readonly data?: { readonly code?: number } }[])
    .map(({ data }) => data?.code)
    .filter((code) => code !== 1006);

const [nginx] = proxies as readonly [Proxy];
describeInstalled(nginx.binary)('three processes behind nginx', () => {
  describeRedis('on one Redis', () => {
    stories(async () => {
      const redis = await TestRedis.start();
      return { settings: { redisUrl: redis.url }, stop: () => redis.stop() };
    });
  });

  describePostgres('on one PostgreSQL, without Redis', () => {
    stories(async () => {
      const environment = { DATABASE_URL: await newPostgresDatabase() };
      return { settings: { environment }, stop: async () => {} };
    });
  });
});

/** @param share - starts what they share */
function stories(share: () => Promise<{ settings: ClusterSettings; stop: () => Promise<void> }>): void {
  let stop: (() => Promise<void>) | undefined;
  let proxied: ProxiedCluster;
  let pages: readonly Page[] = [];

  beforeAll(async () => {
    await buildServer();
    const shared = await share();
    stop = shared.stop;
    const history = [{ channels: 'kept-*', events: 10_000, seconds: 600 }];
    proxied = await ProxiedCluster.start(nginx, { ...shared.settings, app: { history } });
  }, 240_000);
  afterAll(async () => {
    for (const { client } of pages) client.disconnect();
    await proxied.stop();
    await stop?.();
  });

  it('lose no event and no member when one is killed, and another is stopped for 40 s and continued', async () => {
    const [killed, stopped] = proxied.processes as [ServerProcess, ServerProcess];
    pages = Array.from({ length: 9 }, () => new Page(proxied, 'ws', 'number'));
    const members: Member[] = [];
    for (const user of users) members.push(await Member.join(proxied.cluster, proxied, user));
    const areBack = () => pages.every(({ isSubscribed }) => isSubscribed);
    await until(areBack, 'all pages are there', patienceMs);
    const haveAll = () => members.every(({ roster }) => roster.join() === users.join());
    await until(haveAll, 'all members see all', patienceMs);
    for (const { told } of members) told.splice(0);
    const load = new TriggerLoad({ port: proxied.port, app, channel: 'kept-news', senders, pauseMs: 400 });
    await until(() => pages.every(({ heard }) => heard.length > 0), 'all pages hear', patienceMs);

    await killed.kill();
    await until(areBack, 'all pages are back', patienceMs);
    await proxied.replace(0);

    stopped.signal('SIGSTOP');
    const from = performance.now();
    const areMissed = () => members.some(({ roster }) => roster.length < users.length);
    await until(areMissed, 'its members are taken for gone', patienceMs);
    await delay(stoppedMs - (performance.now() - from));
    const to = performance.now();
    stopped.signal('SIGCONT');
    await until(haveAll, 'all members see all again', patienceMs);
    await until(areBack, 'all pages are there again', patienceMs);
    await load.stop();

    const hasAll = ({ heard }: Page) => load.accepted.every((n) => heard.includes(n));
    await until(() => pages.every(hasAll), 'all pages have heard all that was accepted', patienceMs);
    const [one, ...others] = pages.map(({ heard }) => heard);
    expect(new Set(one).size, 'each once').toBe(one!.length);
    for (const each of others) expect(each).toEqual(one);
    expect(pages.map(({ gaps }) => gaps)).toEqual(pages.map(() => 0));
    expect(codesOf([...pages, ...members])).toEqual([]);
    for (const { told } of members)
      for (const user of users) {
        const changes = told.filter((each) => each.endsWith(user)).map(([sign]) => sign);
        // The others see a member of the stopped process go and come. One that was there, too, may be back before it.
        expect(changes.join('')).toMatch(/^\+?(-\+)?$/);
      }
    const answers = [...load.acceptedAt.values()].filter((at) => at > from && at < to);
    const pauses = answers.map((at, n) => at - (answers[n - 1] ?? from));
    expect(Math.max(...pauses, to - answers.at(-1)!)).toBeLessThan(heldUpMs);
    console.log(
      `${load.accepted.length} events accepted, ${load.refused.length} refused, ${load.unanswered.length} unanswered; ` +
        `while one was stopped, ${answers.length} with pauses of up to ${Math.round(Math.max(...pauses))} ms`,
    );
  }, 240_000);
}
