import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventsService } from 'rookery/channels';
import {
  type Database,
  migrate,
  openDatabase,
  TypeOrmAppRepository,
  TypeOrmDeviceRepository,
  TypeOrmInstanceRepository,
  TypeOrmStorageModule,
  TypeOrmTriggerOutbox,
} from 'rookery/internal/typeorm';
import { overSocket, signed } from './channels-api.js';
import { startChannels, testApp } from './channels-server.js';
import { instance, otherInstance } from './push-app.js';
import { ServerProcess } from './server-process.js';
import { SocketClient } from './socket-client.js';
import { fcmError, type StandInApns, standInApns, type StandInFcm, standInFcm } from './stand-ins/index.js';
import { until } from './until.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** An app that is in the database, not in the configuration. */
export const keptApp = { id: '7', key: 'kept-key', secret: 'kept-secret', history: [{ channels: 'orders' }] };

/** A database with unfinished work of every kind, and the work that is left to do. */
export interface WrittenDatabase {
  /** When the scheduled publish is due, in epoch milliseconds. Everything else is due before. */
  readonly scheduledAt: number;
  /** The origin of the webhooks' URLs. */
  readonly receiver: string;
  /** The ids of publishes by name. */
  readonly publishes: Readonly<Record<string, string>>;
  /** The pushes to come, and those of the scheduled publish: the name of the publish and the device's token. */
  readonly pushes: readonly string[];
  readonly scheduled: readonly string[];
  /** The bodies of the webhooks to come, and of those that were given up. */
  readonly webhooks: readonly string[];
  readonly deadWebhooks: readonly string[];
  /** The data of the committed events, in the order of their commits. */
  readonly events: readonly string[];
}

const audience = { news: 240, held: 15, done: 5, later: 10, users: 6 } as const;
const applePhones = 40;
const goneDevices = 12;
/** Answered 503, so that they wait for another try. */
const busy = ['news 3', 'news 50', 'news 77', 'apple-7'];

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };

/** How the writing servers, and those that take the database over, are configured. */
export function configuration(google: StandInFcm, apple: StandInApns, receiver: string) {
  const credentials = { fcm: google.credentials, apns: apple.credentials };
  const webhooks = [{ url: `${receiver}/push`, secret: 'secret', events: ['v1.PublishToUsersAttempt'] }];
  return {
    apps: [{ ...testApp, webhooks: [{ url: `${receiver}/channels`, events: ['channel_occupied'] }] }],
    instances: [{ ...instance, ...credentials, webhooks }],
    notifications: [{ app: testApp.id, instance: instance.id, pushAfterSeconds: 3000 }],
    publish: { pageSize: 20, concurrency: { fcm: 10, apns: 10 }, firstRetryMs: 600_000 },
    channels: { webhooks: { retryMs: 7_200_000 } },
  };
}

/** Servers that are stopped, killed and refused by their gateways fill a database. It is left as the last one left it. */
export async function writeDatabase(url: string): Promise<WrittenDatabase> {
  const writer = await DatabaseWriter.start(url);
  try {
    await writer.addWhatIsConfiguredThere();
    await writer.buryWebhooks();
    await writer.stopInTheMiddle();
    await writer.killInTheMiddle();
    await writer.commitEvents();
    return writer.written();
  } finally {
    await writer.close();
  }
}

interface PublishTo {
  readonly of?: string;
  readonly to?: object;
  readonly kind?: string;
  readonly more?: Readonly<Record<string, string>>;
}

class DatabaseWriter {
  private readonly folder = mkdtempSync(join(tmpdir(), 'rookery-writer-'));
  private readonly scheduledAt = Date.now() + 3_600_000;
  private readonly publishes: Record<string, string> = {};
  private readonly events: string[] = [];
  private readonly servers: ServerProcess[] = [];

  private constructor(
    private readonly url: string,
    private readonly google: StandInFcm,
    private readonly apple: StandInApns,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async start(url: string): Promise<DatabaseWriter> {
    const [google, apple] = [await standInFcm({ delayMs: 100 }), await standInApns({ delayMs: 100 })];
    const receiver = await WebhookReceiver.start();
    receiver.otherwise = (response) => void response.writeHead(503).end();
    const unavailable = [fcmError(503, 'UNAVAILABLE'), { status: 503, reason: 'ServiceUnavailable' }] as const;
    for (const token of busy) {
      google.answer(token, unavailable[0]);
      apple.answer(token, unavailable[1]);
    }
    return new DatabaseWriter(url, google, apple, receiver);
  }

  async close(): Promise<void> {
    for (const server of this.servers) await server.kill();
    await Promise.all([this.google.close(), this.apple.close(), this.receiver.close()]);
    rmSync(this.folder, { recursive: true });
  }

  async addWhatIsConfiguredThere(): Promise<void> {
    await this.inDatabase(async (database) => {
      await migrate(database.dataSource);
      await new TypeOrmAppRepository(database).save(keptApp);
      await new TypeOrmInstanceRepository(database).save({ ...otherInstance, fcm: this.google.credentials });
      const devices = new TypeOrmDeviceRepository(database);
      const add = async (instanceId: string, platform: 'fcm' | 'apns', token: string, interest: string) => {
        const registration = { platform, token, metadata: {}, bundleIdentifier: 'com.example.app' };
        const { id } = await devices.register(instanceId, registration, Date.now());
        await devices.addInterest(instanceId, platform, id, interest);
        return id;
      };
      for (const [interest, count] of Object.entries(audience))
        for (let n = 0; n < count; n++) {
          const id = await add(instance.id, 'fcm', `${interest} ${n}`, interest);
          if (interest === 'users') await devices.setUser(instance.id, 'fcm', id, `user ${n}`);
        }
      for (let n = 0; n < applePhones; n++) await add(instance.id, 'apns', `apple-${n}`, 'news');
      for (let n = 0; n < goneDevices; n++) await add(otherInstance.id, 'fcm', `gone ${n}`, 'gone');
    });
  }

  /** They are tried once. */
  async buryWebhooks(): Promise<void> {
    const server = await this.serve({ channels: { webhooks: { retryMs: 0 } } });
    await this.occupy(server, 'dead-1', 'dead-2');
    const dead = async () => {
      const { text } = await overSocket(server, signed('GET', '/webhooks/dead'));
      return (JSON.parse(text) as { webhooks: unknown[] }).webhooks.length;
    };
    await until(async () => (await dead()) === 2, 'two webhooks are given up');
    await server.stop();
  }

  /** Two servers share a publish, whose ranges they leave behind. */
  async stopInTheMiddle(): Promise<void> {
    const both = [await this.serve(), await this.serve()] as const;
    const [server] = both;
    await this.occupy(server, 'waiting-1', 'waiting-2');
    for (let n = 0; n < goneDevices; n++)
      this.google.answer(`gone ${n}`, fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }));
    await this.publish(server, 'gone', { of: otherInstance.id });
    await this.publish(server, 'done', { more: { 'idempotency-key': 'once' } });
    const publishAt = { 'publish-at': new Date(this.scheduledAt).toISOString() };
    await this.publish(server, 'later', { more: publishAt });
    const cancelled = await this.publish(server, 'cancelled', { more: publishAt });
    await fetch(`${publishesOf(server)}/${cancelled}`, { method: 'DELETE', headers });
    await this.publish(server, 'users', { to: { users: ['user 0', 'user 1'] }, kind: '/users' });
    for (const name of ['gone', 'done', 'users', 'cancelled']) await this.finished(server, name);
    for (const user of ['user 2', 'user 3', 'user 4', 'user 5']) await this.notify(server, user);
    await until(() => this.receiver.at('/push').length > 0, 'the webhook of a publish');
    await this.publish(server, 'news');
    await until(
      () => this.google.received.filter(({ token }) => token.startsWith('news')).length >= 40,
      'some',
      30_000,
    );
    await Promise.all(both.map((each) => each.stop()));
  }

  /** The gateways do not answer it, so that no device has got what it was sending. */
  async killInTheMiddle(): Promise<void> {
    for (const token of busy) {
      this.google.answer(token, { silence: true });
      this.apple.answer(token, { silence: true });
    }
    this.google.answerAll({ silence: true });
    this.apple.answerAll({ silence: true });
    const server = await this.serve();
    const tokens = this.google.tokenRequests;
    await this.publish(server, 'held');
    await until(() => this.google.tokenRequests > tokens, 'it sends');
    await server.kill();
  }

  /** In transactions of a host that does not send. */
  async commitEvents(): Promise<void> {
    await this.inDatabase(async ({ dataSource }) => {
      const host = await startChannels({
        apps: [testApp, keptApp],
        triggerOutbox: TypeOrmTriggerOutbox,
        triggerRelay: { enabled: false },
        imports: [TypeOrmStorageModule.forRoot({ dataSource })],
      });
      for (let n = 1; n <= 5; n++)
        await dataSource.transaction(async (manager) => {
          const event = { name: 'order-shipped', channel: 'orders', data: `order ${n}` };
          await host.app.get(EventsService).trigger(keptApp.id, event, { within: manager });
          this.events.push(event.data);
        });
      await host.close();
    });
  }

  written(): WrittenDatabase {
    const tokens = (name: keyof typeof audience) => Array.from({ length: audience[name] }, (_, n) => `${name} ${n}`);
    const apples = Array.from({ length: applePhones }, (_, n) => `apple-${n}`);
    const got = new Set(
      [...this.google.received.map(({ token }) => token), ...this.apple.received.map(({ token }) => token)].filter(
        (token) => !busy.includes(token),
      ),
    );
    const left = [...tokens('news'), ...apples].filter((token) => !got.has(token)).map((token) => `news ${token}`);
    const bodies = (path: string, isWanted: (body: string) => boolean) => [
      ...new Set(this.receiver.at(path).flatMap(({ rawBody }) => (isWanted(rawBody) ? [rawBody] : []))),
    ];
    const isDead = (body: string) => body.includes('dead-');
    return {
      scheduledAt: this.scheduledAt,
      receiver: this.receiver.url(''),
      publishes: this.publishes,
      pushes: [
        ...left,
        ...tokens('held').map((token) => `held ${token}`),
        ...[2, 3, 4, 5].map((n) => `notified users ${n}`),
      ],
      scheduled: tokens('later').map((token) => `later ${token}`),
      webhooks: [...bodies('/channels', (body) => !isDead(body)), ...bodies('/push', () => true)],
      deadWebhooks: bodies('/channels', isDead),
      events: this.events,
    };
  }

  private async inDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = await openDatabase(this.url);
    await work(database);
    if (database.dataSource.isInitialized) await database.dataSource.destroy();
  }

  private async serve(more: object = {}): Promise<ServerProcess> {
    const file = join(this.folder, `${this.servers.length}.json`);
    writeFileSync(file, JSON.stringify({ ...configuration(this.google, this.apple, this.receiver.url('')), ...more }));
    const server = await ServerProcess.start({
      CONFIG_FILE: file,
      DATABASE_URL: this.url,
      ALLOW_PRIVATE_NETWORK: 'true',
    });
    this.servers.push(server);
    return server;
  }

  private async occupy(server: ServerProcess, ...channels: string[]): Promise<void> {
    const client = await SocketClient.connect(server.port, testApp);
    for (const channel of channels) await client.subscribe(channel);
    const has = (channel: string) => this.receiver.events('/channels').some((event) => event.channel === channel);
    for (const channel of channels) await until(() => has(channel), `the webhook of ${channel}`);
  }

  /** Publishes to the interest of that name, unless told otherwise. */
  private async publish(
    server: ServerProcess,
    name: string,
    { of = instance.id, to = { interests: [name] }, kind = '/interests', more = {} }: PublishTo = {},
  ): Promise<string> {
    const body = JSON.stringify({ ...to, ...payloads(name) });
    const options = { method: 'POST', headers: { ...headers, ...more }, body };
    const { publishId } = (await (await fetch(publishesOf(server, of) + kind, options)).json()) as any;
    return (this.publishes[name] = publishId);
  }

  private async finished(server: ServerProcess, name: string): Promise<void> {
    const of = name === 'gone' ? otherInstance.id : instance.id;
    const path = `${publishesOf(server, of)}/${this.publishes[name]}`;
    const state = async () => ((await (await fetch(path, { headers })).json()) as any).state;
    await until(async () => ['finished', 'cancelled'].includes(await state()), `${name} has finished`);
  }

  private async notify(server: ServerProcess, userId: string): Promise<void> {
    const body = { userId, event: { name: 'message', data: {} }, push: { fcm: payloads('notified').fcm } };
    const { status, text } = await overSocket(server, signed('POST', '/notifications', body));
    if (status !== 200) throw new Error(text);
  }
}

/** Each message names its publish. */
export const payloads = (publish: string) => ({
  fcm: { data: { publish } },
  apns: { aps: { alert: publish }, data: { publish } },
});

export const publishesOf = ({ url }: ServerProcess, id = instance.id): string =>
  `${url}/publish_api/v1/instances/${id}/publishes`;
