import type { Server } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryChannelRepository } from 'rookery/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { awkward, gate } from '../support/awkward.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { RawClient } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start() {
  const repository = awkward(new MemoryChannelRepository());
  const ledger = awkward(new MemoryPresenceRepository());
  const options = { apps: [testApp], channelRepository: repository };
  const server = await startChannels(options, undefined, { presenceRepository: ledger });
  return { server, repository, ledger };
}

describe('a shutdown', () => {
  it('waits until connections that closed just before are removed from their channels', async () => {
    const { server, ledger } = await start();
    const alice = await SocketClient.connect(server.port);
    await alice.subscribe('presence-room', { user_id: 'alice' });
    let answers: (() => void) | undefined;
    ledger.around.leave = async (answer) => {
      await new Promise<void>((resolve) => (answers = resolve));
      return answer();
    };
    alice.close();
    await until(() => answers !== undefined, 'she is being removed');
    let isClosed = false;
    const closed = server.close().then(() => (isClosed = true));
    // Turn by turn: the shutdown waits for a few seconds only, which a busy machine can take between two polls.
    while (server.app.getHttpServer().listening) await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    answers!();
    await closed;
  });

  it('does not wait forever for a port that does not answer', async () => {
    const { server, repository } = await start();
    const alice = await SocketClient.connect(server.port);
    await alice.subscribe('news');
    repository.around.occupy = () => new Promise(() => {});
    await server.close();
    expect(await alice.closing()).toMatchObject({ code: 4100 });
  });
});

describe('a refused client', () => {
  const upgrade = (path: string, headers: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`;
  const handshake = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

  async function expectHangUp({ port }: ChannelsServer, request: string): Promise<void> {
    const { socket } = await RawClient.open(port);
    socket.write(request);
    const talk = setInterval(() => socket.write('and so on'), 50);
    await until(() => socket.destroyed, 'the server hangs up');
    clearInterval(talk);
  }

  it.each([
    ['has no known key', upgrade('/app/nobody', handshake)],
    ['makes no handshake', upgrade(`/app/${testApp.key}`, '')],
  ])('is disconnected if it neither stops sending nor disconnects: it %s', async (_, request) => {
    const { server } = await start();
    closing.push(server.close);
    await expectHangUp(server, request);
  });
});

describe('the last process', () => {
  it('closes its clients last, including those that connect meanwhile', async () => {
    const { server, repository } = await start();
    const http = server.app.getHttpServer();
    const alice = await SocketClient.connect(server.port);
    await alice.subscribe('news');
    const carol = await SocketClient.connect(server.port);
    await carol.subscribe('news');
    const leaving = gate();
    repository.around.occupy = leaving.around;
    carol.close();
    await leaving.reached;

    // The port stays open while she is being removed.
    const closed = server.close();
    const upgrades = vi.fn();
    const emit = http.emit.bind(http);
    http.emit = (event: string, ...rest: unknown[]) => {
      if (event === 'upgrade') upgrades();
      return emit(event, ...rest);
    };
    const bob = SocketClient.open(server.port);
    await until(() => upgrades.mock.calls.length === 1, 'he asks to connect');
    expect(await openSockets(http)).toBe(2);
    expect(alice.closed).toBeUndefined();

    leaving.open();
    expect(await alice.closing()).toMatchObject({ code: 4100 });
    expect(await (await bob).closing()).toMatchObject({ code: 4100 });
    await closed;
  });
});

const openSockets = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
