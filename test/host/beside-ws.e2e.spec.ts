import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, type WebSocketServer as Server } from 'ws';
import { platforms, startHost } from '../support/channels-host.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** A gateway of the host, with an event that Rookery's clients know as well. */
@WebSocketGateway({ path: '/chat' })
class ChatGateway {
  @WebSocketServer()
  server!: Server;

  @SubscribeMessage('pusher:ping')
  echo(_client: WebSocket, data: unknown): { event: string; data: unknown } {
    return { event: 'chat', data };
  }
}

describe.each(Object.keys(platforms) as (keyof typeof platforms)[])(
  "beside the host's ws gateway, on %s",
  (platform) => {
    let host: Awaited<ReturnType<typeof startHost>>;
    const sockets: WebSocket[] = [];

    beforeEach(async () => {
      host = await startHost(platform, [ChatGateway], (app) => app.useWebSocketAdapter(new WsAdapter(app)));
    });
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.terminate();
      await host.close();
    });

    function chat(path = '/chat'): WebSocket {
      const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`);
      sockets.push(socket);
      return socket;
    }

    async function answerTo(socket: WebSocket, frame: unknown): Promise<unknown> {
      socket.send(JSON.stringify(frame));
      const [answer] = (await once(socket, 'message')) as [Buffer];
      return JSON.parse(answer.toString()) as unknown;
    }

    it('serves its own clients, and leaves the host its own', async () => {
      const visitor = chat();
      await once(visitor, 'open');
      const alice = await SocketClient.connect(host.port);
      await alice.subscribe('news');

      expect(await answerTo(visitor, { event: 'pusher:ping', data: 'hi' })).toEqual({ event: 'chat', data: 'hi' });
      await host.pusher.trigger('news', 'headline', { text: 'hello' });
      expect(await alice.next('headline')).toEqual({ event: 'headline', channel: 'news', data: '{"text":"hello"}' });
      expect(await alice.settled('chat')).toEqual([]);
    });

    it("keeps the host's clients out of its channels, and broadcasts apart", async () => {
      const visitor = chat();
      await once(visitor, 'open');
      const alice = await SocketClient.connect(host.port);
      await alice.subscribe('news');
      const heard: string[] = [];
      visitor.on('message', (text: Buffer) => heard.push(text.toString()));

      await host.pusher.trigger('news', 'headline', {});
      await alice.next('headline');
      for (const client of host.app.get(ChatGateway).server.clients) client.send('from the host');
      await until(() => heard.length > 0, 'the host is heard');
      expect(heard).toEqual(['from the host']);
      expect(await alice.settled('headline')).toEqual([]);
    });

    it("leaves paths that it does not know to the host's adapter, which refuses them", async () => {
      const lost = chat('/elsewhere');
      const [error] = (await once(lost, 'error')) as [Error];
      expect(error.message).toMatch(/400|socket hang up/);
    });

    it('closes its clients with 4100 and the host ends its own, when the host shuts down', async () => {
      const visitor = chat();
      await once(visitor, 'open');
      const alice = await SocketClient.connect(host.port);
      const closed = once(visitor, 'close');
      await host.close();
      expect(await alice.closing()).toMatchObject({ code: 4100 });
      await closed;
    });
  },
);
