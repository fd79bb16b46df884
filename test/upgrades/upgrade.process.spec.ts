import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { keepIfAsked, keptWork, restore, releases } from '../support/kept-databases.js';
import { countRows, moveDatabase } from '../support/moved-database.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { instance, otherInstance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInApns, standInApns, type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import {
  configuration,
  keptApp,
  payloads,
  publishesOf,
  writeDatabase,
  type WrittenDatabase,
} from '../support/written-database.js';
import { describeNode } from '../support/services.js';

vi.setConfig({ testTimeout: 180_000 });

beforeAll(buildServer, 180_000);

describeNode('this revision sends everything that waits in a SQLite database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-upgrade-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.concurrent.each(releases)('of release %s', async (release) => {
    const url = `sqlite:${join(folder, `${release}.db`)}`;
    await restore(release, url);
    await expectEverythingSent(url, keptWork(release, 'sqlite'));
  });

  it.concurrent('of its own', async () => {
    const url = `sqlite:${join(folder, 'own.db')}`;
    const written = await writeDatabase(url);
    await keepIfAsked(url, written);
    await expectEverythingSent(url, written);
  });
});

describePostgres('This revision sends everything that waits in a PostgreSQL database', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.stop());

  it.each(releases)('of release %s', async (release) => {
    const url = await server.newDatabase();
    await restore(release, url);
    await expectEverythingSent(url, keptWork(release, 'postgres'));
  });

  it('of its own', async () => {
    const url = await server.newDatabase();
    const written = await writeDatabase(url);
    await keepIfAsked(url, written);
    await expectEverythingSent(url, written);
  });
});

const early = 300_000;

async function expectEverythingSent(url: string, written: WrittenDatabase): Promise<void> {
  const before = await countRows(url);
  const successor = await Successor.start(url, written);
  try {
    // Until then all but the scheduled publish is due.
    await successor.moveTo(written.scheduledAt - early);
    await successor.serve();
    await successor.expectPushes(written.pushes);
    await successor.expectWebhooks(written.webhooks);
    await successor.expectEvents(written.events);
    await successor.expectPublishes();
    await successor.resendDead(written.deadWebhooks);
    await successor.stop();

    await successor.moveTo(written.scheduledAt);
    await successor.serve();
    await successor.expectPushes([...written.pushes, ...written.scheduled]);
    await successor.stop();
    const kept = ['devices', 'device_interests', 'apps', 'app_keys', 'instances', 'notifications'];
    for (const table of kept) expect(before[`rookery_${table}`], table).toBeGreaterThan(0);
    const after = await countRows(url);
    for (const table of kept) expect([table, after[`rookery_${table}`]]).toEqual([table, before[`rookery_${table}`]]);
  } finally {
    await successor.close();
  }
}

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

/** The server of this revision on a database that another process has left, with gateways that take everything. */
class Successor {
  private readonly folder = mkdtempSync(join(tmpdir(), 'rookery-successor-'));
  private server: ServerProcess | undefined;
  /** The time that it is for the database. */
  private now = 0;

  private constructor(
    private readonly url: string,
    private readonly written: WrittenDatabase,
    private readonly google: StandInFcm,
    private readonly apple: StandInApns,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async start(url: string, written: WrittenDatabase): Promise<Successor> {
    return new Successor(url, written, await standInFcm(), await standInApns(), await WebhookReceiver.start());
  }

  async close(): Promise<void> {
    await this.server?.kill();
    await Promise.all([this.google.close(), this.apple.close(), this.receiver.close()]);
    rmSync(this.folder, { recursive: true });
  }

  /** Moves the database so that for it the present is `time`, as the writer's clock would say it. */
  async moveTo(time: number): Promise<void> {
    const texts = { [this.written.receiver]: this.receiver.url('') };
    const moved = this.now === 0 ? Date.now() - time : this.now - time;
    this.now = time;
    await moveDatabase(this.url, { byMs: moved, near: Date.now(), texts });
  }

  async serve(): Promise<void> {
    const file = join(this.folder, 'rookery.json');
    writeFileSync(file, JSON.stringify(configuration(this.google, this.apple, this.receiver.url(''))));
    const environment = { CONFIG_FILE: file, DATABASE_URL: this.url, ALLOW_PRIVATE_NETWORK: 'true' };
    this.server = await ServerProcess.start(environment);
  }

  async stop(): Promise<void> {
    expect(await this.server!.stop()).toBe(0);
  }

  /** Each device exactly once, and no other. */
  async expectPushes(pushes: readonly string[]): Promise<void> {
    const received = () => [
      ...this.google.received.map(({ token, message }) => `${message.data.publish} ${token}`),
      ...this.apple.received.map(({ token, payload }) => `${payload.data.publish} ${token}`),
    ];
    const all = pushes.toSorted();
    await expect.poll(() => received().toSorted(), { timeout: 60_000 }).toEqual(all);
  }

  async expectWebhooks(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) await until(() => this.timesReceived(body) > 0, `the webhook comes: ${body}`);
    expect(bodies.map((body) => this.timesReceived(body))).toEqual(bodies.map(() => 1));
  }

  /** In the order of their commits. */
  async expectEvents(data: readonly string[]): Promise<void> {
    const history = async () => {
      const request = signed('GET', '/channels/orders/events', undefined, { app: keptApp });
      const { text } = await overSocket(this.server!, request);
      return (JSON.parse(text) as { events: { data: string }[] }).events.map((event) => event.data);
    };
    await until(async () => (await history()).length >= data.length, 'the committed events are sent');
    expect(await history()).toEqual(data);
  }

  async expectPublishes(): Promise<void> {
    const all = { failed: {}, retrying: 0 };
    expect(await this.finished('news')).toMatchObject({
      fcm: { audience: 240, sent: 240, ...all },
      apns: { audience: 40, sent: 40, ...all },
    });
    expect(await this.finished('held')).toMatchObject({ fcm: { audience: 15, sent: 15, ...all } });
    expect(await this.finished('done')).toMatchObject({ fcm: { audience: 5, sent: 5, ...all } });
    expect(await this.finished('gone', otherInstance.id)).toMatchObject({ fcm: { audience: 12, sent: 0 } });
    expect(await this.status('cancelled')).toMatchObject({ state: 'cancelled' });
    expect(await this.status('later')).toMatchObject({ state: 'scheduled' });
    expect(await this.publishedAgain()).toBe(this.written.publishes['done']);
  }

  async resendDead(bodies: readonly string[]): Promise<void> {
    const { text } = await overSocket(
      this.server!,
      signed('POST', '/webhooks/dead/resend', undefined, { app: testApp }),
    );
    expect(text).toBe(`{"resent":${bodies.length}}`);
    await this.expectWebhooks(bodies);
  }

  private timesReceived(body: string): number {
    return this.receiver.received.filter(({ rawBody }) => rawBody === body).length;
  }

  private async status(name: string, of = instance.id): Promise<any> {
    return (await fetch(`${publishesOf(this.server!, of)}/${this.written.publishes[name]}`, { headers })).json();
  }

  private async finished(name: string, of = instance.id): Promise<any> {
    await until(async () => (await this.status(name, of)).state === 'finished', `${name} has finished`);
    return (await this.status(name, of)).platforms;
  }

  /** With the key of the publish that was done before. */
  private async publishedAgain(): Promise<string> {
    const body = JSON.stringify({ interests: ['done'], ...payloads('done') });
    const url = `${publishesOf(this.server!)}/interests`;
    const response = await fetch(url, { method: 'POST', headers: { ...headers, 'idempotency-key': 'once' }, body });
    return ((await response.json()) as any).publishId;
  }
}
