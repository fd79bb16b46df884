import { setTimeout as sleep } from 'node:timers/promises';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { instance } from '../support/push-app.js';
import { Random } from '../support/random.js';
import { SocketClient } from '../support/socket-client.js';

/** How much of everything happens in a second. */
const rates = {
  triggers: 75,
  /** Events of 10 KB, on the channel of the clients that read nothing. */
  large: 20,
  publishes: 1,
  /** Devices that register and subscribe. Beyond {@link maxDevices}, the first of them is deleted for each new one. */
  devices: 2,
  /** Frames of each client. */
  frames: 4,
};

const clientCount = 6;
const slowCount = 2;
/** For how long a slow client reads nothing: enough for the server to close it. */
const slowMs = 45_000;
const maxDevices = 60;
const channels = ['news', 'private-a', 'private-b', 'cache-c', 'presence-a', 'presence-b', 'private-cache-d'];
const hostile = [
  '{',
  '[]',
  'null',
  '{"event":"pusher:subscribe"}',
  '{"event":"pusher:subscribe","data":{"channel":"private-a","auth":"x:y"}}',
  '{"event":"pusher:subscribe","data":{"channel":"no such name"}}',
  '{"event":"client-x","channel":"private-nowhere","data":"x"}',
  '{"event":"pusher:signin","data":{}}',
  `{"event":"client-x","channel":"private-a","data":"${'x'.repeat(9000)}"}`,
];

/** What an ordinary day does to a server, all at once, until it is stopped. */
export class MixedLoad {
  /** What was answered, by what was asked and the status, or `none`. */
  readonly answers: Record<string, number> = {};
  /** How many clients connected, and how many were not greeted or closed in time, as where a machine stands still. */
  connections = 0;
  lateConnections = 0;
  /** How many clients the server has closed that could not keep up. */
  closedSlow = 0;
  private isStopped = false;
  private readonly devices: string[] = [];
  private readonly running: Promise<void>[] = [];
  private readonly random: Random;

  /** @param share how much of the load: 0.1 is a tenth */
  constructor(
    private readonly port: number,
    seed: number,
    private readonly share = 1,
  ) {
    this.random = new Random(seed);
  }

  start(): void {
    this.running.push(
      this.paced(rates.triggers, () => this.trigger()),
      this.paced(rates.large, () => this.send('large', 'x'.repeat(10_000))),
      this.paced(rates.publishes, () => this.publish()),
      this.paced(rates.devices, () => this.device()),
      ...Array.from({ length: clientCount }, (_, index) => this.client(index)),
      ...Array.from({ length: slowCount }, () => this.slowClient()),
    );
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
  }

  /** Makes the calls of each twentieth of a second at once, and the next ones when these are answered. */
  private async paced(perSecond: number, call: () => Promise<void>): Promise<void> {
    for (let owed = 0; !this.isStopped; await sleep(50)) {
      owed += (this.share * perSecond) / 20;
      await Promise.all(Array.from({ length: Math.floor(owed) }, call));
      owed %= 1;
    }
  }

  private async client(index: number): Promise<void> {
    while (!this.isStopped) await this.connected(() => this.page(index));
  }

  private async slowClient(): Promise<void> {
    while (!this.isStopped) await this.connected(() => this.slowPage());
  }

  private async connected(page: () => Promise<void>): Promise<void> {
    this.connections += 1;
    try {
      await page();
    } catch {
      this.lateConnections += 1;
      await sleep(1000);
    }
  }

  private async page(index: number): Promise<void> {
    const session = this.random.below(2) ? `soak-session-${index}-0123456789` : undefined;
    const client = await SocketClient.connect(this.port, testApp, session);
    for (let left = this.random.below(60); left > 0 && !this.isStopped && !client.closed; left--) {
      this.sendFrame(client, index);
      client.frames.length = 0;
      await sleep((1000 / rates.frames / this.share) * (0.5 + this.random.next()));
    }
    if (this.random.below(4)) client.close();
    else client.socket.terminate();
    await client.closing();
  }

  /** Reads nothing until the server has closed it, or for a while. */
  private async slowPage(): Promise<void> {
    const client = await SocketClient.connect(this.port);
    await client.subscribe('large');
    client.socket.pause();
    for (const end = Date.now() + slowMs / this.share; Date.now() < end && !this.isStopped;) await sleep(500);
    client.socket.resume();
    client.close();
    await client.closing();
    if (client.closed?.code !== 1005) this.closedSlow += 1;
  }

  private sendFrame(client: SocketClient, index: number): void {
    const channel = this.random.of(channels);
    const member = channel.startsWith('presence-') ? { user_id: `user-${index % 8}` } : undefined;
    switch (this.random.weighted({ subscribe: 5, unsubscribe: 3, send: 2, signin: 1, hostile: 2 })) {
      case 'subscribe':
        return client.sendSubscribe(channel, member);
      case 'unsubscribe':
        return client.send({ event: 'pusher:unsubscribe', data: { channel } });
      case 'send':
        return client.send({ event: 'client-typing', channel, data: { index } });
      case 'signin': {
        const userData = JSON.stringify({ id: `user-${index}`, watchlist: ['user-1', 'user-2'] });
        const auth = client.sign(`${client.socketId}::user::${userData}`);
        return client.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
      }
      case 'hostile':
        return client.send(this.random.of(hostile));
    }
  }

  private async trigger(): Promise<void> {
    await this.send(this.random.of(channels), 'x'.repeat(this.random.below(1000)));
  }

  private async send(channel: string, data: string): Promise<void> {
    const { method, url, body } = signed('POST', '/events', { name: 'event', channel, data });
    await this.ask('trigger', method, url, String(body));
  }

  private async publish(): Promise<void> {
    const body = { interests: [`topic-${this.random.below(20)}`], fcm: { notification: { title: 'Soak' } } };
    const path = `/publish_api/v1/instances/${instance.id}/publishes`;
    await this.ask('publish', 'POST', path, JSON.stringify(body), { authorization: `Bearer ${instance.secretKey}` });
  }

  private async device(): Promise<void> {
    const devices = `/device_api/v1/instances/${instance.id}/devices/fcm`;
    const token = `soak-${this.random.next()}`;
    const registered = await this.ask('register', 'POST', devices, JSON.stringify({ token }));
    if (registered === undefined) return;
    const { id } = JSON.parse(registered) as { id: string };
    await this.ask('subscribe', 'POST', `${devices}/${id}/interests/topic-${this.random.below(20)}`);
    this.devices.push(id);
    if (this.devices.length > maxDevices) await this.ask('delete', 'DELETE', `${devices}/${this.devices.shift()}`);
  }

  private async ask(
    what: string,
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<string | undefined> {
    const sent = fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    // A connection that was idle for too long may be closed as the request is sent.
    const response = await sent.catch(() => undefined);
    const key = `${what} ${response?.status ?? 'none'}`;
    this.answers[key] = (this.answers[key] ?? 0) + 1;
    return response?.text();
  }
}
