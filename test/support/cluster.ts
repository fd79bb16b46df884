import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import PusherJs, { type Channel } from 'pusher-js';
import { ServerProcess } from './server-process.js';
import { until } from './until.js';

export const app = { id: 'app', key: 'app-key', secret: 'app-secret' };
const credentials = { key: app.key, secret: app.secret };

/** The shared parts of a test's processes. */
export interface ClusterSettings {
  readonly redisUrl?: string;
  readonly app?: object;
  /** Beside it. */
  readonly otherApps?: readonly object[];
  readonly file?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process, or a proxy before several. */
type Reached = Pick<ServerProcess, 'port'>;

/** The identity of a client, as a member of channels and when it signs in. */
export interface TestUser {
  readonly user_id: string;
  readonly user_info?: object;
  readonly watchlist?: readonly string[];
}

/** Several servers that share state, each in its own process, with clients. */
export class TestCluster {
  readonly processes: ServerProcess[] = [];
  /** By the number of its database: a process that is started again finds what the one before has left. */
  private readonly numbers = new Map<ServerProcess, number>();
  private readonly launched: ServerProcess[] = [];
  private readonly clients: PusherJs[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'rookery-cluster-'));

  constructor(private readonly settings: ClusterSettings) {}

  static async start(count: number, settings: ClusterSettings): Promise<TestCluster> {
    const cluster = new TestCluster(settings);
    // One after the other: the first brings the tables up to date.
    for (let n = 0; n < count; n++) await cluster.add();
    return cluster;
  }

  /** @param more beside what all processes have in their environment */
  async add(more: Readonly<Record<string, string>> = {}, program?: string): Promise<ServerProcess> {
    const server = this.launch(more, program);
    await server.listens();
    this.processes.push(server);
    return server;
  }

  /** As {@link add}; it does not listen yet, and is none of the processes. */
  launch(more: Readonly<Record<string, string>> = {}, program?: string): ServerProcess {
    const { redisUrl, file, environment, otherApps = [] } = this.settings;
    const config = join(this.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ ...file, apps: [{ ...app, ...this.settings.app }, ...otherApps] }));
    const taken = this.processes.map((each) => this.numbers.get(each));
    let number = 0;
    while (taken.includes(number)) number++;
    const server = ServerProcess.launch(
      {
        CONFIG_FILE: config,
        DATABASE_URL: `sqlite:${join(this.folder, `${number}.db`)}`,
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        ...environment,
        ...more,
      },
      program,
    );
    this.numbers.set(server, number);
    this.launched.push(server);
    return server;
  }

  /** The official client, connected to a process. */
  async client(server: Reached, user?: TestUser, wsPath = '') {
    const signer = this.server(server);
    const { watchlist, ...member } = user ?? { user_id: '' };
    const client = new PusherJs(app.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: server.port,
      wsPath,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ channelName, socketId }, callback) =>
          callback(null, signer.authorizeChannel(socketId, channelName, user && member)),
      },
      userAuthentication: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ socketId }, callback) =>
          callback(null, signer.authenticateUser(socketId, { id: member.user_id, watchlist: watchlist ?? [] })),
      },
    });
    this.clients.push(client);
    await until(() => client.connection.state === 'connected', 'a client is connected');
    return client;
  }

  /** The official library, pointed at a process. */
  server({ port }: Reached): Pusher {
    return new Pusher({ appId: app.id, ...credentials, host: '127.0.0.1', port: String(port), useTLS: false });
  }

  async get(server: Reached, path: string, params: Record<string, string> = {}): Promise<any> {
    const response = await this.server(server).get({ path, params });
    return response.json();
  }

  /** For methods that the official library signs, but does not send. */
  async send(server: Reached, method: 'PUT' | 'DELETE', path: string, body?: object): Promise<Response> {
    const text = body && JSON.stringify(body);
    const full = `/apps/${app.id}${path}`;
    const query = this.server(server).createSignedQueryString({
      method,
      path: full,
      ...(text && { body: text }),
    });
    const headers = { 'content-type': 'application/json' };
    return fetch(`http://127.0.0.1:${server.port}${full}?${query}`, { method, ...(text && { body: text, headers }) });
  }

  /** Everything that its processes have logged, also those that have ended. */
  get output(): string {
    return this.launched.map(({ output }) => output).join('');
  }

  /** Ends the connections of all clients. */
  disconnect(): void {
    for (const client of this.clients.splice(0)) client.disconnect();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await Promise.all(this.launched.map((each) => each.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Subscribes, and waits until it is confirmed. */
export async function subscribed(client: PusherJs, name: string): Promise<Channel> {
  const channel = client.subscribe(name);
  await until(() => channel.subscribed, `the subscription to ${name} is confirmed`);
  return channel;
}
