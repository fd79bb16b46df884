import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics, EventsService, OnRequest } from 'rookery/channels';
import { HttpClient, httpWays } from '../support/http-client.js';
import { joined, type PusherJs } from '../support/pusher-js.js';
import { pusherJsVersions } from '../support/pusher-js-versions.js';
import { SocketClient } from '../support/socket-client.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { startGames } from './game-host.js';

let host: Awaited<ReturnType<typeof startGames>>;
beforeAll(async () => (host = await startGames({ requests: { timeoutMs: 200, underWay: 4, perSecond: 200 } })));
afterEach(() => {
  host.disconnect();
  host.games().moves.length = 0;
});
afterAll(() => host.close());

it('nothing is answered on an encrypted channel, though a pattern matches its name: the reply would be in the clear', async () => {
  const client = await SocketClient.connect(host.port);
  const replyOn = async (channel: string): Promise<unknown> => {
    await client.subscribe(channel);
    client.send({ event: 'rookery:request', channel, data: { id: channel, name: 'who' } });
    return JSON.parse((await client.next('rookery:reply')).data as string);
  };
  expect(await replyOn('private-lobby')).toEqual({ id: 'private-lobby', data: 'both players' });
  const error = { status: 404, message: "Nothing answers 'who' on private-encrypted-lobby" };
  expect(await replyOn('private-encrypted-lobby')).toEqual({ id: 'private-encrypted-lobby', error });
  client.close();
});

let asked = 0;

/** Asks as any page can, with what stock pusher-js has. @returns the reply's data, or throws its error */
async function ask(client: PusherJs, name: string, data?: unknown, channel?: string): Promise<any> {
  const id = `q${++asked}`;
  if (client.connection.state !== 'connected')
    await new Promise((resolve) => client.connection.bind('connected', resolve));
  return new Promise((resolve, reject) => {
    client.bind('rookery:reply', (reply: any) => {
      if (reply.id === id) (reply.error ? reject : resolve)(reply.error ?? reply.data);
    });
    client.send_event('rookery:request', { id, name, data }, channel);
  });
}

describe.each(pusherJsVersions)('a page with stock pusher-js %s', (_, Pusher) => {
  const connect = (player: string): PusherJs => host.connect(player, Pusher);

  it('asks on its channel, and gets what the method returns', async () => {
    const alice = connect('alice');
    await joined(alice, 'presence-game.7');
    expect(await ask(alice, 'move', { field: 4 }, 'presence-game.7')).toEqual({ moves: 1 });
    expect(host.games().moves).toEqual([{ game: 7, player: 'alice', field: 4 }]);
  });

  it('gets a reply that nobody else gets', async () => {
    const [alice, bob] = [connect('alice'), connect('bob')];
    await Promise.all([joined(alice, 'presence-game.7'), joined(bob, 'presence-game.7')]);
    const heard: string[] = [];
    bob.bind_global((event: string) => heard.push(event));
    await ask(alice, 'move', { field: 4 }, 'presence-game.7');
    await ask(bob, 'echo', 1);
    expect(heard.filter((event) => event === 'rookery:reply')).toHaveLength(1);
  });

  it.each([null, 7, 'text', [1, [2]], { a: { b: '"' } }])('gets back any JSON: %j', async (data) => {
    expect(await ask(connect('alice'), 'echo', data)).toEqual(data);
  });

  it('is answered by a method that takes one field of the data, as of a body', async () => {
    const alice = connect('alice');
    expect(await ask(alice, 'picked', { field: 4, other: 5 })).toBe(4);
    expect(await ask(alice, 'picked', { other: 5 })).toBeNull();
    expect(await ask(alice, 'picked')).toBeNull();
  });

  it('gets null for nothing, and the first value of an Observable', async () => {
    const alice = connect('alice');
    expect(await ask(alice, 'nothing')).toBeNull();
    expect(await ask(alice, 'observed')).toBe(1);
    expect(await ask(alice, 'observed-empty')).toBeNull();
  });

  it.each([
    ['of an unknown name', 'nope', undefined, 404, "Nothing answers 'nope'"],
    ['of a name that only channels have', 'move', undefined, 404, "Nothing answers 'move'"],
    ['with too much data', 'echo', 'x'.repeat(10_239), 413, 'The data exceeds 10240 bytes'],
    ['that ends in a WsException', 'fail', 'ws', 400, 'Not your turn'],
    ['that ends in a list of faults', 'fail', 'list', 400, 'a is wrong; b is wrong'],
  ])('is refused a request %s', async (_, name, data, status, message) => {
    await expect(ask(connect('alice'), name, data)).rejects.toEqual({ status, message });
  });

  it('is refused what it may not ask on a channel', async () => {
    const [alice, spectator] = [connect('alice'), connect('spectator')];
    const channel = 'presence-game.7';
    const refusal = (client: PusherJs, data: unknown, on = channel) =>
      ask(client, 'move', data, on).catch((error: unknown) => error);
    expect(await refusal(alice, { field: 1 })).toEqual({ status: 403, message: `Not subscribed to ${channel}` });
    await Promise.all([joined(alice, channel), joined(alice, 'presence-game.x'), joined(spectator, channel)]);
    expect(await refusal(spectator, { field: 1 })).toMatchObject({ status: 403 });
    expect(await refusal(alice, { field: 9 })).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^data\.field: /),
    });
    expect(await refusal(alice, { field: 1 }, 'presence-game.x')).toMatchObject({ status: 400 });
    await ask(alice, 'move', { field: 1 }, channel);
    expect(await refusal(alice, { field: 1 })).toEqual({ status: 409, message: 'This field is taken' });
    expect(host.games().moves).toHaveLength(1);
  });

  it('learns of a fault only an id, which is in the log', async () => {
    const { message } = await ask(connect('alice'), 'fail', 'error').catch((error: unknown) => error as Error);
    const [, id] = /^Internal server error \((.{36})\)$/.exec(message) ?? [];
    expect(host.lines.find(({ text }) => text.includes(id!))?.text).toContain('the database is on fire');
  });

  it('gets a long reply in pieces of an event each', async () => {
    const alice = connect('alice');
    await new Promise((resolve) => alice.connection.bind('connected', resolve));
    const pieces: { stream: string; at: number; text: string; end?: string }[] = [];
    alice.bind('rookery:reply_piece', (piece: never) => pieces.push(piece));
    alice.send_event('rookery:request', { id: 'book', name: 'book', data: 30_000 });
    await until(() => pieces.at(-1)?.end === 'done', 'all pieces have come');
    expect(pieces.map(({ stream }) => stream)).toEqual(pieces.map(() => 'book'));
    for (const piece of pieces) expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThanOrEqual(10_240);
    expect(JSON.parse(pieces.map(({ text }) => text).join(''))).toBe('ä'.repeat(30_000));
  });
});

it.each(httpWays)('answers a client over %s', async (way) => {
  const client = await HttpClient.connect(host.port, way);
  client.send({ event: 'rookery:request', data: { id: 'q1', name: 'echo', data: [1] } });
  const { data } = await client.next('rookery:reply');
  expect(data).toBe('{"id":"q1","data":[1]}');
  client.close();
});

describe('a method that takes its time', () => {
  it('delays neither the other messages of its client nor the requests of others', async () => {
    let open = (): void => {};
    host.games().gate = new Promise<void>((resolve) => (open = resolve));
    const [alice, bob] = [host.connect('alice'), host.connect('bob')];
    const slow = ask(alice, 'wait');
    expect(await ask(alice, 'echo', 1)).toBe(1);
    expect(await ask(bob, 'echo', 2)).toBe(2);
    open();
    expect(await slow).toBe('done');
  });

  it('is given up, and holds its place among the requests under way until it ends', async () => {
    let open = (): void => {};
    host.games().gate = new Promise<void>((resolve) => (open = resolve));
    const alice = host.connect('alice');
    const ended = await Promise.allSettled(Array.from({ length: 6 }, () => ask(alice, 'wait')));
    const statuses = ended.map((each) => each.status === 'rejected' && each.reason.status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([429, 429, 504, 504, 504, 504]);
    await expect(ask(alice, 'echo')).rejects.toMatchObject({ status: 429 });
    open();
    expect(await ask(alice, 'wait')).toBe('done');
  });

  it('is counted by how it ended', async () => {
    const text = await host.app.get(ChannelsMetrics).registry.metrics();
    for (const outcome of ['answered', 'refused', 'failed', 'timeout', 'limited'])
      expect(text).toMatch(new RegExp(`rookery_channels_requests_total\\{outcome="${outcome}"\\} [1-9]`));
  });
});

it('refuses messages that are no requests, and closes a client that goes on above its rate', async () => {
  const limited = await startGames({ requests: { perSecond: 1 }, limits: { refusalsPerSecond: 1, subscriptions: 5 } });
  const client = await SocketClient.connect(limited.port);
  const send = (data: unknown) => client.send({ event: 'rookery:request', data });
  send({ name: 'echo' });
  expect(await client.next('pusher:error')).toMatchObject({
    event: 'pusher:error',
    data: { message: expect.stringMatching(/id must be a string/) },
  });
  send({ id: 'x'.repeat(65), name: 'echo' });
  expect(await client.next('pusher:error')).toMatchObject({
    data: { message: expect.stringMatching(/id must have 1 to 64 characters/) },
  });
  for (let n = 0; n < 40; n++) send({ id: `${n}`, name: 'echo' });
  await until(() => client.closed !== undefined, 'the client is closed');
  expect(client.closed).toMatchObject({ code: 4100 });
  await limited.close();
});

it('answers 10,000 requests beside a fan-out, each once', async () => {
  const busy = await startGames({ requests: { perSecond: 1000, underWay: 1000 } });
  const connect = (count: number) => Promise.all(Array.from({ length: count }, () => SocketClient.connect(busy.port)));
  const [asking, listening] = await Promise.all([connect(10), connect(100)]);
  await Promise.all(listening.map((client) => client.subscribe('news')));
  for (const client of asking)
    for (let n = 0; n < 1000; n++)
      client.send({ event: 'rookery:request', data: { id: `${n}`, name: 'echo', data: n } });
  const events = busy.app.get(EventsService);
  for (let n = 0; n < 100; n++) await events.trigger(testApp.id, { name: 'headline', channel: 'news', data: n });
  const of = (client: SocketClient, event: string) => client.frames.filter((frame) => frame.event === event);
  for (const client of asking) {
    await until(() => of(client, 'rookery:reply').length >= 1000, 'all replies have come');
    const replies = of(client, 'rookery:reply').map(
      ({ data }) => JSON.parse(data as string) as { id: string; data: number },
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1000);
    expect(replies.filter(({ id, data }) => id !== `${data}`)).toEqual([]);
  }
  for (const client of listening) await until(() => of(client, 'headline').length === 100, 'all events have come');
  for (const client of [...asking, ...listening]) client.close();
  await busy.close();
}, 60_000);

describe('a host', () => {
  @Injectable()
  class Two {
    @OnRequest('private-game.{id}', 'move')
    one() {}
    @OnRequest('private-{any}.7', 'move')
    other() {}
  }
  @Injectable()
  class Same {
    @OnRequest('search')
    one() {}
    @OnRequest('search')
    other() {}
  }
  @Injectable()
  class Invalid {
    @OnRequest('private-game.:id', 'move')
    move() {}
  }
  it.each([
    [Two, "a request could match both @OnRequest('private-game.{id}', 'move') of Two.one and"],
    [Same, "a request could match both @OnRequest('search') of Same.one and @OnRequest('search') of Same.other"],
    [Invalid, "@OnRequest('private-game.:id', 'move') of Invalid.move has a character"],
  ])('does not start with %o', async (provider, message) => {
    await expect(startGames({}, [provider])).rejects.toThrow(message);
  });
});
