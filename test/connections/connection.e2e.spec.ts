import { once } from 'node:events';
import { connect as tcp, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { RawClient, upgradeRequest } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const disabled = { ...testApp, id: '4', key: 'disabled', enabled: false };
const small = { ...testApp, id: '5', key: 'small', maxConnections: 1 };
const fussy = { ...testApp, id: '6', key: 'fussy', allowedOrigins: ['example.com', '*.example.org'] };
const encrypted = { ...testApp, id: '8', key: 'encrypted', tlsOnly: true };
const authorized = { ...testApp, id: '7', key: 'authorized', authorizationTimeoutSeconds: 1, maxConnections: 1 };

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [testApp, disabled, small, fussy, encrypted, authorized] });
});
afterAll(() => server.close());

const open = (
  path: string,
  options: { protocols?: string[]; origin?: string; port?: number; headers?: Record<string, string> } = {},
) => {
  const socket = new WebSocket(`ws://127.0.0.1:${options.port ?? server.port}${path}`, options.protocols ?? [], {
    ...(options.origin ? { origin: options.origin } : {}),
    headers: options.headers ?? {},
  });
  const frames: any[] = [];
  socket.on('message', (text: Buffer) => frames.push(JSON.parse(text.toString())));
  const closing = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as [number, string]);
  return { socket, frames, closing };
};

describe('a handshake', () => {
  const path = `/app/${testApp.key}?protocol=7`;
  const answered = async (...request: Parameters<typeof upgradeRequest>): Promise<string> => {
    const client = await RawClient.open(server.port);
    client.write(upgradeRequest(...request));
    await until(() => client.received.length > 0, 'the server answers');
    await client.ended();
    return client.received.toString();
  };

  it.each([
    ['websocket', path],
    ['WebSocket', path],
    ['websocket, h2c', path],
    ['h2c,\twebsocket', path],
    ['h2c\r\nUpgrade: websocket', path],
    ['websocket', `http://localhost${path}`],
    ['websocket', `HTTPS://user@example.com:8080${path}`],
    ['websocket', `ws://[::1]:6001${path}`],
  ])('that offers %j for %s is accepted', async (upgrade, target) => {
    expect(await answered(target, upgrade)).toMatch(
      /^HTTP\/1\.1 101 Switching Protocols\r\nUpgrade: websocket\r\n[^]*pusher:connection_established/,
    );
  });

  it.each([
    ['websocket', `http://localhost`],
    ['websocket', `http://localhost?${path}`],
    ['websocket', `http:/${path}`],
    ['websocket', `/http://localhost${path}`],
  ])('that offers %j for %s is refused', async (upgrade, target) => {
    expect(await answered(target, upgrade)).toMatch(/^HTTP\/1\.1 101 [^]*Path not found$/);
  });

  it.each(['websockets', 'websocket/13', 'web, socket', 'h2c'])('that offers %j is refused', async (upgrade) => {
    expect(await answered(path, upgrade)).toMatch(/^HTTP\/1\.1 4/);
  });
});

describe('a connection', () => {
  it('is accepted and greeted in one write', async () => {
    const accepted = once(server.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const client = await RawClient.open(server.port);
    const written = vi.spyOn((await accepted)[0], 'write');
    client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
    await until(() => client.received.includes('"pusher:connection_established"'), 'it is greeted');
    expect(written).toHaveBeenCalledTimes(1);
    client.socket.destroy();
  });

  it('is greeted with its socket id and the activity timeout', async () => {
    const client = await SocketClient.open(server.port);
    const first = await client.next('pusher:connection_established');
    expect(Object.keys(first)).toEqual(['event', 'data']);
    const data = JSON.parse(first.data as string) as { socket_id: string; activity_timeout: number };
    expect(data.socket_id).toMatch(/^\d+\.\d+$/);
    expect(data.activity_timeout).toBe(120);
    client.close();
    expect((await client.closing()).code).toBe(1000);
  });

  it.each([
    '?protocol=7&client=js&version=8.6.0&flash=false',
    '?client=swift&version=10.1.10&protocol=7',
    '?client=java-client&protocol=5&version=2.4.4',
    '?protocol=4&client=x&version=0.0.0-dev',
    '?protocol=6',
    '',
    '/?protocol=7',
  ])('is accepted as %s', async (query) => {
    const client = await SocketClient.open(server.port, testApp, query);
    await client.next('pusher:connection_established');
    client.close();
  });

  it('echoes the subprotocol that the client offers, and none when it offers none', async () => {
    const offered = open(`/app/${testApp.key}?protocol=7`, { protocols: ['pusher-channels-protocol-7'] });
    await once(offered.socket, 'open');
    expect(offered.socket.protocol).toBe('pusher-channels-protocol-7');
    const none = open(`/app/${testApp.key}?protocol=7`);
    await once(none.socket, 'open');
    expect(none.socket.protocol).toBe('');
    [offered, none].forEach(({ socket }) => socket.close());
  });

  it.each<[string, string, number, string]>([
    [
      'an unknown key',
      '/app/nobody?protocol=7',
      4001,
      'App key nobody not in this cluster. Did you forget to specify the cluster?',
    ],
    ['a key that is too long for the reason', `/app/${'é'.repeat(100)}`, 4001, 'App key'],
    [
      'an app that wants TLS',
      '/app/encrypted?protocol=7',
      4000,
      'Application only accepts SSL connections, reconnect using wss://',
    ],
    ['a disabled app', '/app/disabled?protocol=7', 4003, 'Application is disabled'],
    ['another path', '/application', 4005, 'Path not found'],
    ['a path under the key', `/app/${testApp.key}/more`, 4005, 'Path not found'],
    ['a malformed version', `/app/${testApp.key}?protocol=7&version=abc`, 4006, 'Invalid version string format'],
    ['protocol 8', `/app/${testApp.key}?protocol=8`, 4007, 'Unsupported protocol version'],
    ['a protocol that is no number', `/app/${testApp.key}?protocol=x`, 4007, 'Unsupported protocol version'],
  ])('of %s is accepted, then closed (%s: %i)', async (_what, path, code, reason) => {
    const { frames, closing } = open(encodeURI(path));
    const [closedWith, text] = await closing;
    expect(closedWith).toBe(code);
    expect(text.startsWith(reason)).toBe(true);
    // Some SDKs make their error from the frame alone; a close frame may have cut the reason.
    const message = expect.stringContaining(text) as string;
    expect(frames).toEqual([{ event: 'pusher:error', data: { code, message } }]);
  });

  it.each(['https', 'wss', 'https, http'])('may come through a proxy that ended its TLS: %s', async (scheme) => {
    const { socket, frames } = open('/app/encrypted', { headers: { 'x-forwarded-proto': scheme } });
    await until(() => frames[0]?.event === 'pusher:connection_established', 'it is greeted');
    socket.close();
  });

  it.each([3, 4, 5, 6, 7, 8])('of protocol %i is refused in a frame before it is closed', async (protocol) => {
    const { frames, closing } = open(`/app/nobody?protocol=${protocol}`);
    const [code] = await closing;
    expect(code).toBe(4 <= protocol && protocol <= 7 ? 4001 : 4007);
    expect(frames).toEqual([{ event: 'pusher:error', data: { code, message: expect.any(String) as string } }]);
  });

  it('gets an error frame before a refusal, but only the close for a restart from protocol 6 on', async () => {
    const restarting = await startChannels({ apps: [{ ...testApp, authorizationTimeoutSeconds: null }, authorized] });
    const { port } = restarting;
    const late = open(`/app/${authorized.key}?protocol=7`, { port });
    expect((await late.closing)[0]).toBe(4009);
    expect(late.frames.at(-1)).toEqual({
      event: 'pusher:error',
      data: { code: 4009, message: 'Connection not authorized within timeout' },
    });
    const [old, current] = [5, 7].map((protocol) => open(`/app/${testApp.key}?protocol=${protocol}`, { port }));
    for (const { frames } of [old!, current!]) await until(() => frames.length > 0, 'it is greeted');
    const closed = restarting.close();
    for (const { closing } of [old!, current!]) expect((await closing)[0]).toBe(4100);
    await closed;
    expect(current!.frames.map(({ event }) => event)).toEqual(['pusher:connection_established']);
    expect(old!.frames.at(-1)).toMatchObject({ event: 'pusher:error', data: { code: 4100 } });
  });

  it('must send its protocol if the setting is strict', async () => {
    const strict = await startChannels({ apps: [testApp], strictProtocol: true });
    expect((await open(`/app/${testApp.key}`, { port: strict.port }).closing)[0]).toBe(4008);
    await strict.close();
  });

  it('is served under a configured path prefix', async () => {
    const prefixed = await startChannels({ apps: [testApp], path: '/realtime' });
    const { frames, socket } = open(`/realtime/app/${testApp.key}?protocol=7`, { port: prefixed.port });
    await until(() => frames.length > 0, 'the greeting arrives');
    expect((await open(`/app/${testApp.key}`, { port: prefixed.port }).closing)[0]).toBe(4005);
    socket.close();
    await prefixed.close();
  });

  it("is refused at the app's maximum, and accepted again once another has closed", async () => {
    const first = await SocketClient.connect(server.port, small);
    const second = open('/app/small?protocol=7');
    expect(await second.closing).toEqual([4004, 'Application is over connection quota']);
    expect(second.frames).toMatchObject([{ event: 'pusher:error', data: { code: 4004 } }]);
    first.close();
    await first.closing();
    await until(async () => {
      const { frames, socket, closing } = open('/app/small?protocol=7');
      await Promise.race([closing, until(() => frames.length > 0, 'the greeting arrives')]);
      socket.close();
      return frames[0]?.event === 'pusher:connection_established';
    }, 'there is room again');
  });

  it.each(['http://example.com', 'https://example.com:8080', 'https://app.example.org', undefined])(
    'from the origin %s is accepted',
    async (origin) => {
      const { frames, socket } = open('/app/fussy?protocol=7', origin === undefined ? {} : { origin });
      await expect.poll(() => frames).toMatchObject([{ event: 'pusher:connection_established' }]);
      socket.close();
    },
  );

  it.each(['https://example.org', 'https://example.com.evil.net', 'https://evilexample.com', 'null'])(
    'from the origin %s is refused',
    async (origin) => {
      const { frames, closing } = open('/app/fussy?protocol=7', { origin });
      expect(await closing).toEqual([4009, 'Origin not allowed']);
      expect(frames).toMatchObject([{ event: 'pusher:error', data: { code: 4009 } }]);
    },
  );

  it('must be authorized in time if the app requires it, and counts from then on', async () => {
    const idle = await SocketClient.connect(server.port, authorized);
    const busy = await SocketClient.connect(server.port, authorized);
    await busy.subscribe('private-a');
    expect(await idle.closing()).toEqual({ code: 4009, reason: 'Connection not authorized within timeout' });
    const late = await SocketClient.connect(server.port, authorized);
    late.sendSubscribe('private-a');
    expect((await late.closing()).code).toBe(4004);
    expect(await busy.settled('nothing')).toEqual([]);
    busy.close();
  });
});

describe('activity', () => {
  it('answers pusher:ping, with and without data, and WebSocket pings', async () => {
    const client = await SocketClient.connect(server.port);
    client.send({ event: 'pusher:ping', data: {} });
    expect(await client.next('pusher:pong')).toEqual({ event: 'pusher:pong', data: '{}' });
    client.send({ event: 'pusher:ping' });
    await client.next('pusher:pong');
    const pong = once(client.socket, 'pong');
    client.socket.ping('payload');
    expect(String((await pong)[0])).toBe('payload');
    client.close();
  });

  it('pings silent clients, and closes those that do not answer with 4201', async () => {
    const quick = await startChannels({ apps: [testApp], activityTimeoutSeconds: 0.2, pongTimeoutSeconds: 0.2 });
    const socket = new WebSocket(`ws://127.0.0.1:${quick.port}/app/${testApp.key}`, { autoPong: false });
    const pinged = once(socket, 'ping');
    const closed = once(socket, 'close');
    const frames: string[] = [];
    socket.on('message', (text: Buffer) => frames.push(text.toString()));
    await pinged;
    await until(() => frames.some((text) => text.includes('"pusher:ping"')), 'pusher:ping arrives too');
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4201, 'Pong reply not received']);
    await quick.close();
  });

  it('keeps clients that answer with either kind of pong', async () => {
    const quick = await startChannels({ apps: [testApp], activityTimeoutSeconds: 0.1, pongTimeoutSeconds: 0.1 });
    const byFrame = await SocketClient.connect(quick.port);
    let pings = 0;
    byFrame.socket.on('ping', () => pings++);
    await until(() => pings >= 4, 'four pings were answered');
    expect(byFrame.closed).toBeUndefined();
    byFrame.close();
    await quick.close();
  });
});

describe('an upgrade that is not a WebSocket handshake', () => {
  it.each([
    'GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    'GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n',
  ])('is answered 426', async (request) => {
    const socket = tcp(server.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    socket.write(request);
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
    socket.destroy();
  });
});
