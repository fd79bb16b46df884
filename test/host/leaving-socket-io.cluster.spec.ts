import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  Module,
  UseGuards,
} from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { MessageBody, SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { IncomingMessage } from 'node:http';
import type { Namespace, Server, ServerOptions, Socket } from 'socket.io';
import { io, type Socket as ClientSocket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AuthorizationModule, ChannelAuthorizer, ChannelName, RequestBody } from 'rookery/authorization';
import { dataOf } from '@rookery/client/events';
import { ChannelsModule, EventsService, OnRequest } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { RookeryTesting, rookeryMatchers, testingApp } from '@rookery/testing';
import '@rookery/testing/vitest';
import { createHost, listen } from '../support/embedding-host.js';
import { PusherJs } from '../support/pusher-js.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

// The blocks of docs/socket-io.md: before and after, both are run.

const appId = testingApp.id;
const apps = [testingApp];
const token = 'of an admin';
expect.extend(rookeryMatchers);

@WebSocketGateway({ namespace: 'admin' })
class AdminGateway {
  @WebSocketServer()
  private readonly admins!: Namespace;

  handleConnection(socket: Socket) {
    if (socket.handshake.auth['token'] !== 'of an admin') socket.disconnect();
  }

  alert(text: string) {
    this.admins.emit('alert', text);
  }
}

class AdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<IncomingMessage>().headers.authorization === `Bearer ${token}`;
  }
}

@Injectable()
class Admins {
  constructor(private readonly events: EventsService) {}

  @ChannelAuthorizer('private-admin')
  @UseGuards(AdminGuard)
  enter() {
    return true;
  }

  async alert(text: string) {
    await this.events.trigger(appId, { name: 'alert', channel: 'private-admin', data: text });
  }
}

/** Of Redis. */
let url: string;

class RedisIoAdapter extends IoAdapter {
  private readonly publisher = new Redis(url);
  private readonly subscriber = new Redis(url);

  override createIOServer(port: number, options?: ServerOptions): Server {
    const server: Server = super.createIOServer(port, options);
    return server.adapter(createAdapter(this.publisher, this.subscriber));
  }

  override async dispose() {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }
}

@WebSocketGateway()
class MovesGateway {
  @WebSocketServer()
  private readonly server!: Server;

  @SubscribeMessage('move')
  move(@MessageBody() field: number) {
    this.server.emit('over', field);
    return { field };
  }
}

@Injectable()
class Moves {
  constructor(private readonly events: EventsService) {}

  @OnRequest('private-game.{id}', 'move')
  async move(@RequestBody(dataOf<number>()) field: number, @ChannelName() channel: string) {
    await this.events.trigger(appId, { name: 'over', channel, data: field });
    return { field };
  }
}

@Module({ providers: [Moves] })
class MovesModule {}

describeRedis('an application that leaves socket.io', () => {
  const ended: (() => unknown)[] = [];
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
    ({ url } = redis);
  });
  afterEach(async () => {
    for (const end of ended.splice(0).toReversed()) await end();
  });
  afterAll(() => redis.stop());

  const alone = [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps })];

  /** A process with what comes before, or with what comes after. */
  async function start(
    providers: Parameters<typeof createHost>[0]['providers'],
    prepare: (app: INestApplication) => void = () => {},
    imports: NonNullable<Parameters<typeof createHost>[0]['imports']> = alone,
  ) {
    const { app } = await createHost({ imports, providers });
    ended.push(() => app.close());
    prepare(app);
    return { app, ...(await listen(app)) };
  }

  async function socketTo(address: string, auth: object = {}): Promise<ClientSocket> {
    const socket = io(address, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
    ended.push(() => socket.disconnect());
    return socket;
  }

  function pusherTo(port: number, authorization: string): PusherJs {
    const pusher = new PusherJs(testingApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        endpoint: `http://127.0.0.1:${port}/pusher/auth`,
        transport: 'ajax',
        headers: { authorization },
      },
    });
    ended.push(() => pusher.disconnect());
    return pusher;
  }

  it('reaches those of a namespace, then of a channel, and lets nobody else in', async () => {
    const socketIo = await start([AdminGateway], (app) => void app.useWebSocketAdapter(new IoAdapter(app)));
    const rookery = await start([Admins], () => {}, [...alone, AuthorizationModule.forRoot()]);
    const shown: string[] = [];
    const show = (text: string) => shown.push(text);

    const other = await socketTo(`${socketIo.url}/admin`, { token: 'of a guest' });
    await until(() => other.disconnected && !other.active, 'the guest is disconnected');
    const socket = await socketTo(`${socketIo.url}/admin`, { token });
    socket.on('alert', show);
    await until(() => socket.connected, 'the admin is connected');
    socketIo.app.get(AdminGateway).alert('fire');
    await until(() => shown.length === 1, 'the admin hears of it');

    const refused = pusherTo(rookery.port, 'Bearer of a guest').subscribe('private-admin');
    await new Promise((resolve) => refused.bind('pusher:subscription_error', resolve));
    const pusher = pusherTo(rookery.port, `Bearer ${token}`);
    const admin = pusher.subscribe('private-admin');
    admin.bind('alert', show);
    await until(() => admin.subscribed, 'the admin is subscribed');
    await rookery.app.get(Admins).alert('water');
    await until(() => shown.length === 2, 'the admin hears of it');
    expect(shown).toEqual(['fire', 'water']);
  });

  it('reaches the clients of another process, by an adapter, then by a module', async () => {
    const useRedis = (app: INestApplication) => {
      app.useWebSocketAdapter(new RedisIoAdapter(app));
    };
    const [one, two] = [await start([MovesGateway], useRedis), await start([MovesGateway], useRedis)];
    const over: unknown[] = [];
    const far = await socketTo(two.url);
    far.on('over', (field) => over.push(field));
    const near = await socketTo(one.url);
    await until(() => far.connected && near.connected, 'both are connected');
    // The adapters subscribe at Redis by and by.
    await until(async () => {
      await near.emitWithAck('move', 4);
      return over.length > 0;
    }, 'the other process hears of a move');
    expect(over[0]).toBe(4);

    const withRedis = {
      imports: [RedisModule.forRoot({ url }), PresenceModule.forRoot(), ChannelsModule.forRoot({ apps })],
    };
    const [first, second] = [
      await RookeryTesting.start([MovesModule, ...withRedis.imports]),
      await start([Moves], () => {}, withRedis.imports),
    ];
    ended.push(() => first.close());
    const client = await first.connect();
    await client.subscribe('private-game.7');
    await second.app.get(Moves).move(5, 'private-game.7');
    await expect(client).toHaveReceivedEvent('private-game.7', 'over', 5);
  });

  it('is tested with a client of its own', async () => {
    const { port } = await start([MovesGateway], (app) => void app.useWebSocketAdapter(new IoAdapter(app)));
    const socket = io(`http://127.0.0.1:${port}`, { forceNew: true });
    const over: number[] = [];
    socket.on('over', (field: number) => over.push(field));
    expect(await socket.emitWithAck('move', 4)).toEqual({ field: 4 });
    await expect.poll(() => over).toEqual([4]);
    socket.disconnect();

    const rookery = await RookeryTesting.start([MovesModule]);
    const client = await rookery.connect();
    await client.subscribe('private-game.7');
    expect(await client.request('private-game.7', 'move', 4)).toEqual({ field: 4 });
    await expect(client).toHaveReceivedEvent('private-game.7', 'over', 4);
    await rookery.close();
  });
});
