import { type CanActivate, type INestApplication, Injectable } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as tcp } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelRepository, ChannelsMetrics, EventsService, UsersService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { startHost } from '../support/channels-host.js';
import { createHost, listen } from '../support/embedding-host.js';
import { HttpClient, httpWays, newHttpId } from '../support/http-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const app = { ...testApp, clientEvents: true, history: [{ channels: 'kept-*', events: 100 }] };
const disabled = { ...testApp, id: '4', key: 'disabled', enabled: false };
const small = { ...testApp, id: '5', key: 'small', maxConnections: 1 };
const fussy = { ...testApp, id: '6', key: 'fussy', allowedOrigins: ['example.com'] };
const encrypted = { ...testApp, id: '8', key: 'encrypted', tlsOnly: true };

let server: ChannelsServer;
const clients: { close(): void }[] = [];
beforeAll(async () => {
  server = await startChannels({
    apps: [app, disabled, small, fussy, encrypted],
    sessions: { pingMs: 10 },
    // A client that goes between two polls is missed after so long.
    pongTimeoutSeconds: 4,
    limits: { queuedBytes: 600_000, messageBytes: 20_000, requestBytes: 100_000, clientEventsPerSecond: 1000 },
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => server.close());

const kept = <T extends { close(): void }>(client: T): T => {
  clients.push(client);
  return client;
};
const base = () => `http://127.0.0.1:${server.port}/pusher/app/${testApp.key}`;
const trigger = (channel: string, data: string, extra: object = {}) =>
  server.app.get(EventsService).trigger(testApp.id, { name: 'e', channel, data, ...extra });
const isOccupied = async (channel: string) =>
  (await server.app.get(ChannelRepository).subscriptionCounts(testApp.id, [channel]))[0]! > 0;

describe.each(httpWays)('a connection over %s', (way) => {
  const connect = async (port = server.port, ...rest: [typeof testApp?, string?]) =>
    kept(await HttpClient.connect(port, way, ...rest));

  it('is greeted once, and gets the events of every kind of channel', async () => {
    const client = await connect();
    expect(client.socketId).toMatch(/^\d+\.\d+$/);
    const channels = ['', 'private-', 'private-encrypted-', 'cache-', 'private-cache-'].map((kind) => `${kind}${way}`);
    for (const channel of channels) await client.subscribe(channel);
    const roster = await client.subscribe(`presence-${way}`, { user_id: 'alice' });
    expect(roster.presence).toEqual({ count: 1, ids: ['alice'], hash: { alice: null } });
    for (const channel of [...channels, `presence-${way}`]) {
      await trigger(channel, `to ${channel}: é 中 😀 "\\ \u2028`);
      expect(await client.next('e')).toMatchObject({ channel, data: `to ${channel}: é 中 😀 "\\ \u2028` });
    }
    expect(client.opened).toBe(1);
  });

  it('sends client events to others in order, and gets theirs but not its own', async () => {
    const alice = await connect();
    const bob = kept(await SocketClient.connect(server.port));
    for (const [client, user_id] of [
      [alice, 'alice'],
      [bob, 'bob'],
    ] as const)
      await client.subscribe('presence-chat', { user_id });
    const typed = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const data of typed) alice.send({ event: 'client-typed', channel: 'presence-chat', data });
    for (const data of typed) expect(await bob.next('client-typed')).toMatchObject({ data, user_id: 'alice' });
    bob.send({ event: 'client-typed', channel: 'presence-chat', data: 'hi' });
    expect(await alice.next('client-typed')).toMatchObject({ data: 'hi', user_id: 'bob' });
    await trigger('presence-chat', 'not for alice', { socket_id: alice.socketId });
    expect(await bob.next('e')).toMatchObject({ data: 'not for alice' });
    expect(await alice.settled('e')).toEqual([]);
    expect(await alice.settled('client-typed')).toEqual([]);
  });

  it('signs in, and is closed with 4009 when the user is terminated', async () => {
    const client = await connect();
    await client.signin({ id: 'alice' });
    await server.app.get(UsersService).terminate(app, 'alice');
    expect((await client.closing()).code).toBe(4009);
  });

  it('gets an error for a wrong message, and stays open', async () => {
    const client = await connect();
    client.send('no JSON');
    expect((await client.next('pusher:error')).data).toMatchObject({ code: null });
    client.sendSubscribe('presence-b', 'no member');
    await client.next('pusher:subscription_error');
    expect(await client.settled('pusher:error')).toHaveLength(1);
  });

  it('gets all of a flood larger than one answer, in order, with one greeting', async () => {
    const client = await connect();
    const channel = `flood-${way}`;
    await client.subscribe(channel);
    const sent = Array.from({ length: 40 }, (_, i) => `${i} ${'é'.repeat(5000)}`);
    for (const [i, data] of sent.entries()) {
      await trigger(channel, data);
      if (i % 8 === 7) await until(() => client.frames.length === i + 1, 'all have come');
    }
    expect(client.frames.map(({ data }) => data)).toEqual(sent);
    expect(client.opened).toBe(1);
    expect(client.requests).toBeGreaterThan(2);
  });

  it('ends when its client aborts its request', async () => {
    const client = await connect();
    const channel = `left-${way}`;
    await client.subscribe(channel);
    expect(await isOccupied(channel)).toBe(true);
    client.close();
    await until(async () => !(await isOccupied(channel)), 'it has left its channels');
    expect(await client.post([])).toBe(404);
  });

  it('answers an empty array with an empty array', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(server.port, way, testApp, { id }));
    await client.next('pusher:connection_established');
    const before = client.requests;
    expect(await client.post([])).toBe(204);
    if (way === 'xhr') await until(() => client.requests > before, 'the poll was answered');
    expect(client.closed).toBeUndefined();
  });

  it('continues on a newer request, and ends the older one', async () => {
    const id = newHttpId();
    const first = kept(HttpClient.open(server.port, 'xhr_streaming', testApp, { id }));
    await first.next('pusher:connection_established');
    const second = kept(HttpClient.open(server.port, way, testApp, { id }));
    await first.closing();
    second.send({ event: 'pusher:ping', data: {} });
    await second.next('pusher:pong');
    expect([first.opened, second.opened]).toEqual([1, 0]);
  });

  it.each<[string, string, number, { query?: string; path?: string }?]>([
    ['an unknown key', 'nobody', 4001],
    ['a disabled app', 'disabled', 4003],
    ['an app that wants TLS', 'encrypted', 4000],
    ['protocol 8', testApp.key, 4007, { query: '?protocol=8' }],
    ['a malformed version', testApp.key, 4006, { query: '?protocol=7&version=abc' }],
    ['a session that is none', testApp.key, 4005, { path: '/session/short/pusher' }],
  ])('for %s is opened, then closed (%s: %i)', async (_, key, code, options) => {
    const client = kept(HttpClient.open(server.port, way, { ...testApp, key }, options));
    expect((await client.closing()).code).toBe(code);
    expect(client.opened).toBe(1);
    expect(client.frames).toMatchObject([{ event: 'pusher:error', data: { code } }]);
  });

  it('counts towards the connections of its app, from its second request on', async () => {
    const first = await connect(server.port, { ...testApp, key: 'small' });
    await first.post([]);
    const second = await connect(server.port, { ...testApp, key: 'small' });
    void second.post([]);
    expect((await second.closing()).code).toBe(4004);
    first.close();
    await until(async () => {
      const next = kept(HttpClient.open(server.port, way, { ...testApp, key: 'small' }));
      await next.post([]);
      await until(() => next.frames.length > 0 || next.closed !== undefined, 'it is answered or closed');
      return !next.closed;
    }, 'there is room again');
  });

  it('gets missed events when it returns in a session', async () => {
    const session = randomUUID();
    const channel = `kept-${way}`;
    const first = await connect(server.port, testApp, session);
    await first.subscribe(channel);
    first.close();
    await until(async () => !(await isOccupied(channel)), 'it is gone');
    await trigger(channel, '1');
    const second = await connect(server.port, testApp, session);
    await second.subscribe(channel);
    expect(await second.next('e')).toMatchObject({ data: '1', replayed: true });
    // It is asked what it has got, as over a WebSocket.
    await second.next('pusher:ping');
  });

  it('is closed with 4100 if it does not read, and nothing is kept for it', async () => {
    const client = await connect();
    const channel = `slow-${way}`;
    await client.subscribe(channel);
    const before = (await server.app.get(ChannelsMetrics).slowConnections.get()).values[0]?.value ?? 0;
    client.isFrozen = true;
    await until(
      async () => {
        for (let i = 0; i < 50; i++) await trigger(channel, 'x'.repeat(10_000));
        return ((await server.app.get(ChannelsMetrics).slowConnections.get()).values[0]?.value ?? 0) > before;
      },
      'it is closed',
      30_000,
    );
    client.isFrozen = false;
    // 1006 where it has slept for longer than a closed connection is kept.
    expect([4100, 1006]).toContain((await client.closing()).code);
    await until(async () => !(await isOccupied(channel)), 'it has left its channels');
  });

  it.each(['Fastify', 'Express'] as const)(
    'is served by a host on %s, whatever it has of its own',
    async (platform) => {
      @Injectable()
      class NobodyGuard implements CanActivate {
        canActivate(): boolean {
          return false;
        }
      }
      const { app: host } = await createHost({ platform, providers: [{ provide: APP_GUARD, useClass: NobodyGuard }] });
      host.setGlobalPrefix('api');
      const { port, url } = await listen(host);
      const client = await connect(port);
      await client.subscribe('news');
      await host.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'news', data: 'hi' });
      expect(await client.next('e')).toMatchObject({ data: 'hi' });
      // Other paths below it are the host's.
      expect((await fetch(`${url}/pusher/auth`, { method: 'POST' })).status).toBe(404);
      const closing = host.close();
      expect(await client.closing()).toMatchObject({ code: 4100 });
      await closing;
    },
  );
});

describe('requests', () => {
  const post = (path: string, body = '', headers: Record<string, string> = {}) =>
    fetch(`${base()}/${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

  it('of pages of any origin are admitted, and the app decides', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${base()}/1/abcdefgh/xhr_send?t=1&n=2`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'Content-Type',
    });
    const url = `http://127.0.0.1:${server.port}/pusher/app/fussy/${newHttpId()}/xhr`;
    const asked = await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } });
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(await asked.text()).toBe(
      String.raw`o
a["{\"event\":\"pusher:error\",\"data\":{\"code\":4009,\"message\":\"Origin not allowed\"}}"]
c[4009,"Origin not allowed"]
`,
    );
    const own = await fetch(url, { method: 'POST', headers: { origin: 'https://example.com' } });
    expect(await own.text()).toMatch(/^o\na\["{\\"event\\":\\"pusher:connection_established/);
  });

  it.each([
    ['the connection is unknown', '1/abcdefgh/xhr_send', '[]', 404],
    ['it is of the older browsers', '1/abcdefgh/xdr_send', '[]', 404],
    ['the id is none', '1/abc/xhr_send', '[]', 404],
    ['the number is none', '1234/abcdefgh/xhr_send', '[]', 404],
    ['the way is none', '1/abcdefgh/websocket', '[]', 404],
    ['there is more to the path', '1/abcdefgh/xhr/more', '[]', 404],
  ])('are answered where %s', async (_, path, body, status) => {
    expect((await post(path, body)).status).toBe(status);
  });

  it('for a connection of another app are not answered', async () => {
    const id = newHttpId();
    const client = kept(HttpClient.open(server.port, 'xhr_streaming', testApp, { id }));
    await client.next('pusher:connection_established');
    const other = await fetch(`http://127.0.0.1:${server.port}/pusher/app/fussy/${id}/xhr_send`, {
      method: 'POST',
      body: '["{}"]',
    });
    expect(other.status).toBe(404);
    expect(await client.settled('pusher:error')).toEqual([]);
  });

  it.each<[string, number]>([
    ['', 400],
    ['no JSON', 400],
    ['{}', 400],
    ['null', 400],
    ['[1]', 400],
    ['["{}",null]', 400],
    ['[["{}"]]', 400],
    ['\u0000\uffff', 400],
    ['[""]', 204],
    ['["{"]', 204],
    ['["{\\"event\\":null}"]', 204],
    [`[${'"[]",'.repeat(900)}"1"]`, 204],
    [`[${'"[]",'.repeat(1000)}"1"]`, 400],
    ['['.repeat(50_000), 400],
  ])('with the body %j are harmless', async (body, status) => {
    const client = kept(await HttpClient.connect(server.port, 'xhr'));
    const sent = await fetch(client.sendUrl, { method: 'POST', body });
    expect(sent.status).toBe(status);
    client.send({ event: 'pusher:ping', data: {} });
    await client.next('pusher:pong');
  });

  it.each([
    ['in one message', JSON.stringify(['x'.repeat(20_001)]), 204],
    ['in one body', JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(10_000))), 413],
    ['that is far too large', 'x'.repeat(3_000_000), 413],
  ])('that are too large %s end the connection with 1009', async (_, body, status) => {
    const client = kept(await HttpClient.connect(server.port, 'xhr_streaming'));
    const sent = fetch(client.sendUrl, { method: 'POST', body }).then((answer) => answer.status);
    // The server may have closed the connection while the client still sends.
    expect(await sent.catch(() => status)).toBe(status);
    expect((await client.closing()).code).toBe(1009);
  });

  it('of one TCP connection are answered one after the other', async () => {
    const socket = tcp(server.port, '127.0.0.1');
    const path = `/pusher/app/${testApp.key}/${newHttpId()}`;
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString()));
    socket.write(`POST ${path}/xhr?protocol=7 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    await until(() => received.includes('connection_established'), 'it is greeted');
    const ping = '["{\\"event\\":\\"pusher:ping\\"}"]';
    socket.write(`POST ${path}/xhr_send HTTP/1.1\r\nHost: a\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`);
    socket.write(`POST ${path}/xhr HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    await until(() => received.includes('pusher:pong'), 'it is answered');
    expect(received.match(/HTTP\/1\.1 20[04]/g)).toHaveLength(3);
    socket.end();
    await once(socket, 'close');
  });
});

describe('abandoned connections', () => {
  it('end once they are no longer polled, and count until then', async () => {
    const brief = await startChannels({ apps: [app], pongTimeoutSeconds: 2, limits: { connections: 20 } });
    const ask = async () => {
      const url = `http://127.0.0.1:${brief.port}/pusher/app/${testApp.key}/${newHttpId()}/xhr`;
      return (await fetch(url, { method: 'POST' })).text();
    };
    const opened = await Promise.all(Array.from({ length: 30 }, ask));
    expect(opened.filter((text) => text.includes('connection_established'))).toHaveLength(20);
    expect(opened.filter((text) => text.startsWith('o\nc[4100,'))).toHaveLength(10);
    await until(async () => (await ask()).includes('connection_established'), 'there is room again');
    await brief.close();
  });

  /** How many of so many polls, made over one TCP connection without waiting for answers, are greeted and refused. */
  const pollAll = async (port: number, key: string, polls: number, headers = '') => {
    const socket = tcp(port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString()));
    for (let i = 0; i < polls; i++)
      socket.write(
        `POST /pusher/app/${key}/${newHttpId()}/xhr HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: 0\r\n\r\n`,
      );
    const times = (what: string) => received.split(what).length - 1;
    await until(() => times('HTTP/1.1 200') === polls, 'all are answered');
    socket.destroy();
    return { greeted: times('connection_established'), refused: times('c[4100,') };
  };

  it('are limited per TCP connection, and do not count towards those of the app', async () => {
    const brief = await startChannels({ apps: [{ ...testApp, maxConnections: 40 }] });
    expect(await pollAll(brief.port, testApp.key, 1000)).toEqual({ greeted: 32, refused: 968 });
    expect(await pollAll(brief.port, testApp.key, 50)).toEqual({ greeted: 32, refused: 18 });
    await kept(await SocketClient.connect(brief.port)).subscribe('news');
    await brief.close();
  });

  it('are limited per TCP connection of a client that claims to be a proxy', async () => {
    const brief = await startChannels();
    const forwarded = 'X-Forwarded-For: 198.41.0.4\r\n';
    expect(await pollAll(brief.port, testApp.key, 50, forwarded)).toEqual({ greeted: 32, refused: 18 });
    await brief.close();
  });

  it.each(['Fastify', 'Express'] as const)(
    'are many per TCP connection of a trusted proxy, on %s',
    async (platform) => {
      const trust = (host: INestApplication) => {
        if (platform === 'Express') (host as NestExpressApplication).set('trust proxy', 'loopback');
      };
      const options = platform === 'Fastify' ? { trustProxy: 'loopback' } : {};
      const host = await startHost(platform, [], trust, options);
      const forwarded = 'X-Forwarded-For: 198.41.0.4\r\n';
      expect(await pollAll(host.port, testApp.key, 50, forwarded)).toEqual({ greeted: 50, refused: 0 });
      await host.close();
    },
  );

  it('are limited per address by the settings, until they end', async () => {
    const limits = { httpConnectionsPerAddress: 3 };
    const brief = await startChannels({ apps: [app], pongTimeoutSeconds: 2, limits, trustProxy: '127.0.0.1' });
    const ask = async (address: string) => {
      const url = `http://127.0.0.1:${brief.port}/pusher/app/${testApp.key}/${newHttpId()}/xhr`;
      const headers = { 'x-forwarded-for': `10.0.0.1, ${address}` };
      return (await fetch(url, { method: 'POST', headers })).text();
    };
    const answers = await Promise.all([1, 2, 3, 4, 5].map((host) => ask(`2a00:1450:4001:82b::${host}`)));
    expect(answers.filter((text) => text.includes('connection_established'))).toHaveLength(3);
    expect(answers.filter((text) => text.startsWith('o\nc[4100,'))).toHaveLength(2);
    expect(await ask('198.41.0.4')).toContain('connection_established');
    await until(async () => (await ask('2a00:1450:4001:82b::9')).includes('established'), 'there is room again');
    // Azure's gateway and others add the port, which is another each time.
    expect(await ask('198.41.0.5:1001')).toContain('connection_established');
    for (const port of [1002, 1003]) await ask(`198.41.0.5:${port}`);
    expect(await ask('198.41.0.5:1004')).toContain('c[4100,');
    // Of the own network there may be any number.
    for (let i = 0; i < 5; i++) expect(await ask('10.0.0.2')).toContain('connection_established');
    await brief.close();
  });

  it('are pinged if they are silent, and closed with 4201 without an answer', async () => {
    const brief = await startChannels({ apps: [app], activityTimeoutSeconds: 0.2, pongTimeoutSeconds: 0.2 });
    const client = kept(await HttpClient.connect(brief.port, 'xhr_streaming'));
    await client.next('pusher:ping');
    expect((await client.closing()).code).toBe(4201);
    await brief.close();
  });
});
