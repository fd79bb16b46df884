import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChannelsMetrics, EventsService, MemoryChannelRepository, NodesService, ThisNode } from 'rookery/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { HttpClient, httpWays, newHttpId } from '../support/http-client.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

// Two applications that share their state, as two processes would: the requests of one connection reach both by turns.
let servers: ChannelsServer[];
let brokers: LinkedBroker[];
const clients: { close(): void }[] = [];
const start = async (settings: { readonly pongTimeoutSeconds?: number } = {}): Promise<void> => {
  const link = new Link();
  const channelRepository = new MemoryChannelRepository();
  const presenceRepository = new MemoryPresenceRepository();
  brokers = [new LinkedBroker(link), new LinkedBroker(link)];
  const apps = [{ ...testApp, clientEvents: true }];
  servers = [];
  for (const broker of brokers) {
    const options = {
      ...settings,
      apps,
      broker,
      channelRepository,
      limits: { queuedBytes: 300_000, messageBytes: 20_000, clientEventsPerSecond: 1000 },
    };
    servers.push(await startChannels(options, undefined, { presenceRepository }));
  }
};
beforeEach(() => start());
const stop = async (): Promise<void> => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.map((server) => server.close()));
};
afterEach(() => stop());

const kept = <T extends { close(): void }>(client: T): T => {
  clients.push(client);
  return client;
};
/** Another one with each request. */
function byTurns(): () => number {
  let turn = 0;
  return () => servers[turn++ % 2]!.port;
}
/** The first request reaches the first, all others the second. */
function elsewhere(): () => number {
  let turn = 0;
  return () => servers[Math.min(turn++, 1)]!.port;
}
const trigger = (channel: string, data: string) =>
  servers[0]!.app.get(EventsService).trigger(testApp.id, { name: 'e', channel, data });
const post = (port: number, id: string, end: string, body = '') =>
  fetch(`http://127.0.0.1:${port}/pusher/app/${testApp.key}/${id}/${end}`, { method: 'POST', body });

describe.each(httpWays)('a connection over %s, with requests to two processes', (way) => {
  it('sends and receives everything once, in order', async () => {
    const client = kept(await HttpClient.connect(byTurns(), way));
    await client.subscribe('presence-room', { user_id: 'alice' });
    const bob = kept(await SocketClient.connect(servers[1]!.port));
    await bob.subscribe('presence-room', { user_id: 'bob' });
    await client.next('pusher_internal:member_added');
    for (let n = 0; n < 20; n++) {
      await trigger('presence-room', `${n} é`);
      client.send({ event: 'client-typed', channel: 'presence-room', data: `${n}` });
    }
    for (let n = 0; n < 20; n++) {
      expect(await client.next('e')).toMatchObject({ data: `${n} é` });
      expect(await bob.next('client-typed')).toMatchObject({ data: `${n}`, user_id: 'alice' });
    }
    expect(client.opened).toBe(1);
    expect(client.closed).toBeUndefined();
  });

  it('ends when it is aborted at either process', async () => {
    // Between two polls nothing waits that could be aborted: then it is over when it has not asked again for so long.
    await stop();
    await start({ pongTimeoutSeconds: 2 });
    const client = kept(await HttpClient.connect(elsewhere(), way));
    await client.subscribe('presence-room', { user_id: 'alice' });
    const bob = kept(await SocketClient.connect(servers[0]!.port));
    await bob.subscribe('presence-room', { user_id: 'bob' });
    client.close();
    const isRemoved = () => bob.frames.some(({ event }) => event === 'pusher_internal:member_removed');
    await until(isRemoved, 'alice is told as removed');
    await until(async () => (await client.post([])) === 404, 'no process has it');
  });

  it('gets a flood larger than one answer through the other', async () => {
    const client = kept(await HttpClient.connect(elsewhere(), way));
    await client.subscribe('flood');
    const sent = Array.from({ length: 80 }, (_, n) => `${n} ${'x'.repeat(8000)}`);
    for (const [n, data] of sent.entries()) {
      await trigger('flood', data);
      if (n % 8 === 7) await until(() => client.frames.length === n + 1, 'all have come');
    }
    expect(client.frames.map(({ data }) => data)).toEqual(sent);
    expect(client.opened).toBe(1);
  });

  it('gets 4100 if it does not read, from either process', async () => {
    const client = kept(await HttpClient.connect(elsewhere(), way));
    await client.subscribe('flood');
    client.isFrozen = true;
    const [server] = servers;
    const slow = async () => (await server!.app.get(ChannelsMetrics).slowConnections.get()).values[0]?.value;
    await until(
      async () => {
        for (let n = 0; n < 50; n++) await trigger('flood', 'x'.repeat(8000));
        return (await slow()) === 1;
      },
      'it is closed',
      30_000,
    );
    client.isFrozen = false;
    expect([4100, 1006]).toContain((await client.closing()).code);
  });

  it('is closed when its process stops, and when the one that holds its request stops', async () => {
    for (const stopped of [1, 0]) {
      const client = kept(await HttpClient.connect(elsewhere(), way));
      if (way === 'xhr') await until(() => client.requests > 1, 'it polls the other');
      else {
        // The stream is opened anew, at the other.
        await client.subscribe('flood');
        for (let n = 0; n < 40; n++) {
          await trigger('flood', 'x'.repeat(8000));
          await until(() => client.frames.length === n + 1, 'it has come');
        }
      }
      await servers[stopped]!.close();
      // 4100 of a process that knows of no other, and 1006 where a poll came too late for an answer.
      expect(way === 'xhr' ? [4100, 4200, 1006] : [4100, 4200]).toContain((await client.closing()).code);
      if (stopped === 1) servers[1] = servers[0]!;
    }
  });
});

describe('requests that reach another process', () => {
  it('for an unknown connection are answered 404 at once', async () => {
    expect((await post(servers[1]!.port, newHttpId(), 'xhr_send', '[]')).status).toBe(404);
  });

  it.each([
    ['no JSON', 400],
    ['[1]', 400],
    ['["{"]', 204],
  ])('with the body %.10s are answered alike', async (body, status) => {
    const id = newHttpId();
    const client = kept(HttpClient.open(servers[0]!.port, 'xhr_streaming', testApp, { id }));
    await client.next('pusher:connection_established');
    expect((await post(servers[1]!.port, id, 'xhr_send', body)).status).toBe(status);
  });

  it('with a body that is too large end the connection', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(servers[0]!.port, 'xhr_streaming', testApp, { id }));
    await client.next('pusher:connection_established');
    const body = JSON.stringify(['x'.repeat(2_000_000)]);
    expect((await post(servers[1]!.port, id, 'xhr_send', body)).status).toBe(413);
    expect((await client.closing()).code).toBe(1009);
  });

  it('continue on the newer request', async () => {
    const id = newHttpId();
    const open = (server: ChannelsServer) => kept(HttpClient.open(server.port, 'xhr_streaming', testApp, { id }));
    const first = open(servers[0]!);
    await first.next('pusher:connection_established');
    const second = open(servers[1]!);
    await first.closing();
    second.send({ event: 'pusher:ping', data: {} });
    await second.next('pusher:pong');
    const third = open(servers[0]!);
    await second.closing();
    third.send({ event: 'pusher:ping', data: {} });
    await third.next('pusher:pong');
    expect([first.opened, second.opened, third.opened]).toEqual([1, 0, 0]);
  });

  it('open a new connection if its process is dead', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(servers[0]!.port, 'xhr', testApp, { id }));
    await client.next('pusher:connection_established');
    brokers[0]!.die();
    await servers[1]!.app.get(NodesService).takeOut(servers[0]!.app.get(ThisNode).id);
    expect(await (await post(servers[1]!.port, id, 'xhr')).text()).toMatch(/^o\na\[.*connection_established/);
  });

  it('may be lost: the client reconnects', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(servers[0]!.port, 'xhr_streaming', testApp, { id }));
    await client.next('pusher:connection_established');
    brokers[0]!.lose({ appId: '#nodes', channel: `#nodes-${servers[0]!.app.get(ThisNode).id}` });
    expect((await client.closing()).code).toBe(4200);
  });

  it('find the connection again after its process was considered dead', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(servers[0]!.port, 'xhr_streaming', testApp, { id }));
    await client.next('pusher:connection_established');
    await servers[1]!.app.get(NodesService).takeOut(servers[0]!.app.get(ThisNode).id);
    expect((await post(servers[1]!.port, id, 'xhr_send', '[]')).status).toBe(404);
    await servers[0]!.app.get(NodesService).announce();
    expect((await post(servers[1]!.port, id, 'xhr_send', '[]')).status).toBe(204);
  });
});

it('refuses new connections with 503, as upgrades, while its clients move to another process', async () => {
  const [stopping, other] = servers as [ChannelsServer, ChannelsServer];
  stopping.app.get(ThisNode).others = 1;
  const client = kept(await HttpClient.connect(stopping.port, 'xhr_streaming'));
  const stopped = stopping.close();
  // While it keeps its client for the health checks of proxies.
  let answer: Response | undefined;
  await until(async () => {
    answer = await post(stopping.port, newHttpId(), 'xhr_streaming');
    if (answer.status === 200) await answer.body?.cancel();
    return answer.status === 503;
  }, 'it refuses the next');
  expect(answer?.headers.get('access-control-allow-origin')).toBe('*');
  expect(await client.closing()).toMatchObject({ code: 4200 });
  await stopped;
  servers = [other];
});
