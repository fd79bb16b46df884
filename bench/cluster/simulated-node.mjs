import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import 'reflect-metadata';
import { webSocketEncoding } from '../../libs/channels/src/connections/websocket/websocket.transport.ts';

// As applications get it: the built package.
const require = createRequire(import.meta.url);
const { Module } = require('@nestjs/common');
const { DiscoveryModule, DiscoveryService, NestFactory } = require('@nestjs/core');
const { ChannelsModule } = require('rookery/channels');
const { PresenceModule, PresenceService } = require('rookery/presence');
const { RedisBroker, RedisConnection, RedisModule } = require('rookery/redis');

const app = {
  id: 'app',
  key: 'app-key',
  secret: 'app-secret',
  limits: { presenceMembers: 1_000_000 },
};

/** A process of a cluster: a Nest application with all services, connected to Redis, without a port. */
export class SimulatedNode {
  static async start(redis) {
    class Root {}
    Module({
      imports: [
        DiscoveryModule,
        RedisModule.forRoot(redis),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [app] }),
      ],
    })(Root);
    return new SimulatedNode(await NestFactory.createApplicationContext(Root, { logger: false }));
  }

  constructor(context) {
    this.context = context;
    this.presence = context.get(PresenceService, { strict: false });
    // What sockets call; the package does not export their classes.
    const providers = context.get(DiscoveryService, { strict: false }).getProviders();
    const named = (wanted) => providers.find(({ name }) => name === wanted).instance;
    this.connections = named('ConnectionsService');
    this.apps = named('Apps');
  }

  /** A client that is on public channels. */
  async subscribe(channels) {
    const client = await this.connect();
    for (const channel of channels) client.say({ event: 'pusher:subscribe', data: { channel } });
    await client.counted('subscription_succeeded', channels.length);
  }

  /** A client that joins a presence channel, once it has the roster. */
  async join(channel, userId) {
    const client = await this.connect();
    const channel_data = JSON.stringify({ user_id: userId });
    const signed = createHmac('sha256', app.secret).update(`${client.socketId}:${channel}:${channel_data}`);
    const auth = `${app.key}:${signed.digest('hex')}`;
    client.say({ event: 'pusher:subscribe', data: { channel, auth, channel_data } });
    await client.counted('subscription_succeeded', 1);
    return client;
  }

  /** As when its machine fails: it says no goodbye. */
  die() {
    this.context.get(RedisBroker, { strict: false }).onApplicationShutdown();
    this.context.get(RedisConnection, { strict: false }).close();
  }

  async connect() {
    const client = new SimulatedClient();
    const found = await this.apps.findByKey(app.key);
    client.open((transport) =>
      this.connections.open(found, { protocol: 7, key: app.key }, transport, { headers: {}, socket: {} }),
    );
    await client.counted('connection_established', 1);
    return client;
  }
}

const largeBytes = 1_000_000;

/** The transport of a client that reads all at once, and counts it. */
class SimulatedClient {
  encoding = webSocketEncoding;
  waitingBytes = 0;
  isDestroyed = false;
  sockets = 1;
  isConfirmed = true;
  peerAddress = '';
  counts = new Map();
  waiting = [];

  open(connect) {
    this.connection = connect(this);
  }

  get socketId() {
    return this.connection.socketId;
  }

  /** How many events of this name it has received. */
  heard(name) {
    return this.counts.get(name) ?? 0;
  }

  say(message) {
    this.connection.onText(JSON.stringify(message));
  }

  counted(name, count) {
    if (this.heard(name) >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ name, count, resolve }));
  }

  write(bytes) {
    // A roster of many members is one event.
    const text = bytes.latin1Slice(0, bytes.length > largeBytes ? 100 : bytes.length);
    for (const [, name] of text.matchAll(/"event":"pusher(?:_internal)?:(\w+)"/g))
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (text.includes('"pusher:error"')) throw new Error(text);
    this.waiting = this.waiting.filter(({ name, count, resolve }) => {
      if ((this.counts.get(name) ?? 0) < count) return true;
      resolve();
      return false;
    });
  }

  close() {
    this.isDestroyed = true;
  }

  destroy() {
    this.isDestroyed = true;
  }

  pauseReading() {}
  resumeReading() {}
  stopReading() {}
}
