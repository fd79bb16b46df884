import { Injectable } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server, Socket } from 'socket.io';
import { io, type Socket as ClientSocket } from 'socket.io-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, request } from '@rookery/client';
import { dataOf } from '@rookery/client/events';
import { ChannelName, RequestBody, SocketId } from 'rookery/authorization';
import { ClientsService, EventsService, OnRequest } from 'rookery/channels';
import { startGames } from '../requests/game-host.js';
import { joined } from '../support/pusher-js.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';

// What docs/socket-io.md compares: both sides play the same game.

const app = testApp.id;

@WebSocketGateway()
class GameGateway {
  @WebSocketServer()
  private readonly server!: Server;

  @SubscribeMessage('enter')
  async enter(@ConnectedSocket() socket: Socket) {
    await socket.join('game.7');
    return true;
  }

  @SubscribeMessage('move')
  async move(@MessageBody() field: number, @ConnectedSocket() socket: Socket) {
    const isSure: unknown = await socket.timeout(1000).emitWithAck('confirm', 'Sure?');
    socket.to('game.7').emit('moved', field);
    this.server.to('game.7').emit('over', field);
    return { field, isSure };
  }
}

@Injectable()
class Game {
  constructor(
    private readonly events: EventsService,
    private readonly clients: ClientsService,
  ) {}

  @OnRequest('private-game.{id}', 'move')
  async move(
    @RequestBody(dataOf<number>()) field: number,
    @ChannelName() channel: string,
    @SocketId() socketId: string,
  ) {
    const { clients } = this;
    const [data, socket_id] = [field, socketId];
    const isSure = await clients.ask(app, { socketId }, 'confirm', 'Sure?', { timeoutMs: 1000 });
    await this.events.trigger(app, { name: 'moved', channel, data, socket_id });
    await this.events.trigger(app, { name: 'over', channel, data });
    return { field, isSure };
  }
}

let host: Awaited<ReturnType<typeof startGames>>;
const sockets: ClientSocket[] = [];
beforeAll(async () => {
  host = await startGames({}, [GameGateway, Game], (nest) => nest.useWebSocketAdapter(new IoAdapter(nest)));
});
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  host.disconnect();
  await host.close();
});

/** What came to a player. */
type Heard = [event: string, data: unknown][];

/** Alice moves, and is the only one who does not hear of it as the others do. */
const played = {
  reply: { field: 4, isSure: true },
  ofAlice: [['over', 4]],
  ofBob: [
    ['moved', 4],
    ['over', 4],
  ],
};

it('plays with socket.io', async () => {
  const connect = async (heard: Heard): Promise<ClientSocket> => {
    const socket = io(`http://127.0.0.1:${host.port}`, { transports: ['websocket'], forceNew: true });
    sockets.push(socket);
    const show = (field: number) => heard.push(['moved', field]);
    socket.on('moved', show);
    socket.on('over', (field: number) => heard.push(['over', field]));
    socket.on('confirm', (_, reply) => reply(true));
    await socket.emitWithAck('enter');
    return socket;
  };
  const [ofAlice, ofBob]: [Heard, Heard] = [[], []];
  const socket = await connect(ofAlice);
  await connect(ofBob);
  const reply: unknown = await socket.emitWithAck('move', 4);
  await until(() => ofAlice.length === 1 && ofBob.length === 2, 'both have heard');
  expect({ reply, ofAlice, ofBob }).toEqual(played);
});

it('plays the same with Rookery', async () => {
  const connect = async (heard: Heard) => {
    const pusher = host.connect('player');
    const game = pusher.subscribe('private-game.7');
    const show = (field: number) => heard.push(['moved', field]);
    game.bind('moved', show);
    game.bind('over', (field: number) => heard.push(['over', field]));
    answer(pusher, 'confirm', () => true);
    await joined(pusher, 'private-game.7');
    return game;
  };
  const [ofAlice, ofBob]: [Heard, Heard] = [[], []];
  const game = await connect(ofAlice);
  await connect(ofBob);
  const reply = await request(game, 'move', 4);
  await until(() => ofAlice.length === 1 && ofBob.length === 2, 'both have heard');
  expect({ reply, ofAlice, ofBob }).toEqual(played);
});

it('plays with all lines of the page', () => {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
  const own = read('from-socket-io.e2e.spec.ts');
  const rows = read('../../docs/socket-io.md').match(/^\| [^|]+\| `.*$/gm) ?? [];
  const lines = rows.flatMap((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, line = '']) => line));
  expect(lines).toHaveLength(20);
  expect(lines.filter((line) => !own.includes(line))).toEqual([]);
});
