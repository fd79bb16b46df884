import { IoAdapter } from '@nestjs/platform-socket.io';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { once } from 'node:events';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { platforms, startHost } from '../support/channels-host.js';
import { SocketClient } from '../support/socket-client.js';

/** A gateway of the host, on socket.io's own path. */
@WebSocketGateway()
class ChatGateway {
  @SubscribeMessage('chat')
  echo(_client: unknown, data: unknown): { event: string; data: unknown } {
    return { event: 'chat', data };
  }
}

describe.each(Object.keys(platforms) as (keyof typeof platforms)[])(
  "beside the host's socket.io gateway, on %s",
  (platform) => {
    let host: Awaited<ReturnType<typeof startHost>>;
    const sockets: Socket[] = [];

    beforeEach(async () => {
      host = await startHost(platform, [ChatGateway], (app) => app.useWebSocketAdapter(new IoAdapter(app)));
    });
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.disconnect();
      await host.close();
    });

    async function chat(transports: string[]): Promise<Socket> {
      const socket = io(`http://127.0.0.1:${host.port}`, { transports, forceNew: true, reconnection: false });
      sockets.push(socket);
      await new Promise<void>((resolve, reject) => void socket.on('connect', resolve).on('connect_error', reject));
      return socket;
    }

    const answerTo = (socket: Socket, data: unknown): Promise<unknown> =>
      new Promise((resolve) => void socket.once('chat', resolve).emit('chat', data));

    it.each([
      ['WebSockets', ['websocket']],
      ['polling', ['polling']],
      ['polling that becomes a WebSocket', ['polling', 'websocket']],
    ])('serves its own clients, and leaves the host its own over %s', async (_, transports) => {
      const visitor = await chat(transports);
      const alice = await SocketClient.connect(host.port);
      await alice.subscribe('news');

      expect(await answerTo(visitor, { text: 'hi' })).toEqual({ text: 'hi' });
      await host.pusher.trigger('news', 'headline', { text: 'hello' });
      expect(await alice.next('headline')).toEqual({ event: 'headline', channel: 'news', data: '{"text":"hello"}' });
      expect(await answerTo(visitor, { text: 'still here' })).toEqual({ text: 'still here' });
    });

    it('leaves the upgrade of a polling client to the host', async () => {
      const visitor = await chat(['polling', 'websocket']);
      const { engine } = visitor.io;
      if (engine.transport.name !== 'websocket') await new Promise((resolve) => void engine.once('upgrade', resolve));
      expect(engine.transport.name).toBe('websocket');
    });

    it('keeps its clients when the host has ended the socket of an unknown path', async () => {
      const alice = await SocketClient.connect(host.port);
      const lost = new WebSocket(`ws://127.0.0.1:${host.port}/elsewhere`);
      await once(lost, 'error');
      expect(await alice.subscribe('news')).toEqual({});
    });

    it('closes its clients with 4100 and the host ends its own, when the host shuts down', async () => {
      const visitor = await chat(['websocket']);
      const alice = await SocketClient.connect(host.port);
      const closed = new Promise((resolve) => void visitor.once('disconnect', resolve));
      await host.close();
      expect(await alice.closing()).toMatchObject({ code: 4100 });
      await closed;
    });
  },
);
