import { migrate, openDatabase, pendingMigrations } from 'rookery/internal/typeorm';
import { expect } from 'vitest';
import type { Migration } from '../../libs/typeorm/src/migrations/index.js';
import { app, TestCluster } from '../support/cluster.js';
import { instance } from '../support/push-app.js';
import { RoughProxy } from '../support/rough-proxy.js';
import type { ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { fcmError, type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { Build, UpgradeStep } from './upgrade-schedule.js';
import { Caller, Member, Page, Steadily } from './upgrading.js';

/** What is upgraded. */
export interface UpgradeParts {
  /** The program of the previous build. */
  readonly previous: string;
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  readonly processes: number;
  /** Those of the release, in its order: a step applies the next one. */
  readonly migrations: readonly Migration[];
}

interface Slot {
  readonly build: Build;
  readonly server: ServerProcess;
}

const phones = 7;
/** Google says that it is gone: the builds keep differently what becomes of it. */
const gonePhone = 'gone-phone';
const users = ['ann', 'ben'];
const waitMs = 30_000;

/** Processes of two builds, with clients, phones and webhooks that must not notice more than a reconnect. */
export class SeededUpgrade {
  private readonly slots: Slot[] = [];
  private readonly pages: Page[] = [];
  private readonly members: Member[] = [];
  private readonly visitors: string[] = [];

  private constructor(
    private readonly parts: UpgradeParts,
    private readonly google: StandInFcm,
    private readonly receiver: WebhookReceiver,
    private readonly cluster: TestCluster,
    private readonly balancer: RoughProxy,
  ) {}

  /** Performs the steps under load, and then checks what was promised. */
  static async run(steps: readonly UpgradeStep[], parts: UpgradeParts): Promise<void> {
    const [google, receiver] = await Promise.all([standInFcm({ delayMs: 10 }), WebhookReceiver.start()]);
    const { databaseUrl, redisUrl } = parts;
    const cluster = new TestCluster({
      ...(redisUrl && { redisUrl }),
      app: {
        history: [{ channels: 'kept-*', events: 10_000, seconds: 600 }],
        webhooks: [{ url: receiver.url('/channels'), events: ['member_added', 'member_removed'] }],
      },
      file: {
        instances: [{ ...instance, fcm: google.credentials }],
        channels: { drainSeconds: 1, sessions: { pingMs: 100 }, webhooks: { holdMs: 500 } },
        publish: { pageSize: 3, pollMs: 100 },
      },
      environment: { DATABASE_URL: databaseUrl, ALLOW_PRIVATE_NETWORK: 'true' },
    });
    let turn = 0;
    // While a process that is alone is replaced, connections wait, as at a socket of systemd.
    const balancer = await RoughProxy.start(async () => {
      await until(() => cluster.processes.length > 0, 'a process listens', waitMs);
      return cluster.processes[turn++ % cluster.processes.length]!.port;
    });
    const upgrade = new SeededUpgrade(parts, google, receiver, cluster, balancer);
    try {
      await upgrade.run(steps);
    } finally {
      for (const { client } of upgrade.pages) client.disconnect();
      await cluster.stop();
      balancer.stop();
      await Promise.all([receiver.close(), google.close()]);
    }
  }

  private async run(steps: readonly UpgradeStep[]): Promise<void> {
    const { balancer, cluster, google, pages, members } = this;
    for (let n = 0; n < this.parts.processes; n++) await this.start(n, 'previous');
    const caller = new Caller(balancer);
    for (let n = 0; n < phones; n++) await caller.register(`phone-${n}`, 'news');
    await caller.register(gonePhone, 'news');
    google.answer(gonePhone, fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }));
    pages.push(new Page(balancer, 'ws'), new Page(balancer, 'ws'));
    for (const user of users) members.push(await Member.join(cluster, balancer, user));

    const triggers = new Steadily(20, (n) => caller.trigger('kept-news', 'tick', n));
    const publishes = new Steadily(2, () => caller.publish('news', this.receiver.url('/publishes')));
    const registrations = new Steadily(2, (n) => caller.register(`late-phone-${n}`, 'late'));
    const failing = [triggers, publishes, registrations].map(({ running }) => running);
    const performed = async (): Promise<void> => {
      for (const step of steps) await this.perform(step);
    };
    try {
      await Promise.race([performed(), ...failing]);
    } finally {
      // Where one has failed, the race has said so.
      for (const each of [triggers, publishes, registrations]) void each.stop().catch(() => undefined);
    }

    const { length: heard } = await triggers.stop();
    await this.expectHeard(heard);
    const published = await publishes.stop();
    const { length: late } = await registrations.stop();
    await this.expectWebhooks(published);
    await this.expectPushes(published);
    // Each build reads what both have stored.
    for (const build of ['this', 'previous'] as const) {
      const { server } = this.slots.find((slot) => slot.build === build) ?? (await this.replace(0, build, false));
      await this.expectStored(server, published, heard, late);
    }
    expect(cluster.output.match(/^.*"level":"(error|fatal)".*$/gm)).toBeNull();
  }

  private async perform(step: UpgradeStep): Promise<void> {
    if (step.does === 'migrate') await this.migrate();
    else await this.replace(step.slot, step.by, step.isStartedFirst);
    await this.settle();
  }

  /** As `rookery migrate` of a release with one more migration. */
  private async migrate(): Promise<void> {
    const { databaseUrl, migrations } = this.parts;
    const { dataSource } = await openDatabase(databaseUrl);
    try {
      const [next] = await pendingMigrations(dataSource, migrations);
      const count = migrations.findIndex(({ name }) => name === next) + 1;
      if (count > 0) await migrate(dataSource, migrations.slice(0, count));
    } finally {
      await dataSource.destroy();
    }
  }

  private async start(slot: number, build: Build): Promise<Slot> {
    const server = await this.cluster.add({}, build === 'previous' ? this.parts.previous : undefined);
    return (this.slots[slot] = { build, server });
  }

  private async replace(slot: number, by: Build, isStartedFirst: boolean): Promise<Slot> {
    const { cluster } = this;
    const { server } = this.slots[slot]!;
    if (isStartedFirst) await this.start(slot, by);
    cluster.processes.splice(cluster.processes.indexOf(server), 1);
    expect(await server.stop()).toBe(0);
    if (!isStartedFirst) await this.start(slot, by);
    return this.slots[slot]!;
  }

  /** A member comes to a process and leaves it: the others are told of each, wherever they are. */
  private async visit({ port }: ServerProcess): Promise<void> {
    const visitor = `visitor-${this.visitors.length}`;
    this.visitors.push(visitor);
    const client = await SocketClient.connect(port, app);
    await client.subscribe('presence-room', { user_id: visitor });
    const areTold = (change: string) => this.members.every(({ told }) => told.includes(`${change}${visitor}`));
    await until(() => areTold('+'), `all are told that ${visitor} came`, waitMs);
    client.close();
    await until(() => areTold('-'), `all are told that ${visitor} left`, waitMs);
  }

  /** Until clients are back, and each process says the same of them and announces changes to them. */
  private async settle(): Promise<void> {
    const { pages, cluster, slots } = this;
    await until(() => pages.every(({ isSubscribed }) => isSubscribed), 'all pages are back', waitMs);
    for (const { server, build } of slots) {
      const roster = async () => (await cluster.get(server, '/channels/presence-room/users')).users as { id: string }[];
      const isWhole = async () =>
        (await roster())
          .map(({ id }) => id)
          .toSorted()
          .join() === users.join();
      await until(isWhole, `a process of the ${build} build knows all members`, waitMs);
      await this.visit(server);
    }
  }

  private async expectHeard(count: number): Promise<void> {
    const { pages, members, visitors } = this;
    await until(() => pages.every(({ heard }) => heard.at(-1) === count - 1), 'all have heard the last', waitMs);
    for (const { heard } of pages) expect(heard).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(pages.map(({ gaps }) => gaps)).toEqual(pages.map(() => 0));
    const changes = visitors.flatMap((visitor) => [`+${visitor}`, `-${visitor}`]);
    for (const { told } of members) expect(told.filter((change) => change.includes('visitor'))).toEqual(changes);
    expect([...pages, ...members].flatMap(({ errors }) => errors)).toEqual([]);
  }

  private async expectWebhooks(published: readonly string[]): Promise<void> {
    const { receiver, visitors } = this;
    const hooks = () =>
      (receiver.events('/channels') as { name: string; user_id: string }[])
        .filter(({ user_id: user }) => visitors.includes(user))
        .map(({ name, user_id: user }) => `${name} ${user}`);
    const changes = visitors.flatMap((visitor) => [`member_added ${visitor}`, `member_removed ${visitor}`]);
    await until(() => hooks().length >= changes.length, 'all webhooks of members have come', waitMs);
    expect(hooks().toSorted()).toEqual(changes.toSorted());
    const bodies = () => receiver.at('/publishes').map(({ rawBody }) => rawBody);
    const finished = (id: string) => bodies().filter((body) => body.includes(id) && body.includes('FINISHED')).length;
    for (const id of published) await until(() => finished(id) > 0, `the webhook of ${id} has come`, waitMs);
    expect(published.map(finished)).toEqual(published.map(() => 1));
  }

  private async expectPushes(published: readonly string[]): Promise<void> {
    const { google, balancer } = this;
    const caller = new Caller(balancer);
    for (const id of published)
      await until(async () => (await caller.publishStatus(id)).state === 'finished', `${id} has finished`, waitMs);
    expect(google.count).toBe(published.length * phones);
  }

  /** A process knows all publishes and the history, and sends to the phones that were registered meanwhile. */
  private async expectStored(server: ServerProcess, published: readonly string[], events: number, late: number) {
    const caller = new Caller(server);
    for (const id of published) expect((await caller.publishStatus(id)).platforms.fcm).toMatchObject({ sent: phones });
    const limit = 1000;
    const page = await this.cluster.get(server, '/channels/kept-news/events', { limit: String(limit) });
    const ticks = (page.events as { data: string }[]).map(({ data }) => Number(data));
    expect(ticks).toEqual(Array.from({ length: Math.min(events, limit) }, (_, n) => n));
    const before = this.google.count;
    const id = await caller.publish('late');
    await until(async () => (await caller.publishStatus(id)).state === 'finished', `${id} has finished`, waitMs);
    expect(this.google.count - before).toBe(late);
  }
}
