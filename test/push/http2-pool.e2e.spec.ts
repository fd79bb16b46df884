import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import { connect as connectTcp, createServer as createTcp, type Socket } from 'node:net';
import { assert, asyncProperty, uint8Array } from 'fast-check';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../support/stand-ins/listen.js';
import { setClockBack } from '../support/set-back.js';
import { until } from '../support/until.js';
import { SendLater } from '../../libs/publish/src/delivery/push.gateway.js';
import { Http2Connection } from '../../libs/publish/src/delivery/http2/connection.js';
import { Exchange, type PushAnswer } from '../../libs/publish/src/delivery/http2/exchange.js';
import { Http2Pool, type Http2PoolOptions } from '../../libs/publish/src/delivery/http2/pool.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open.splice(0)) await each.close();
});

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer) => void;

/** A peer of node:http2, and a pool that sends to it. */
async function peer(handle: Handler, options: ServerOptions = {}, pool: Partial<Http2PoolOptions> = {}) {
  const server = createServer(options);
  let connections = 0;
  server.on('session', (session) => {
    connections++;
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => handle(stream, headers, Buffer.concat(chunks)));
  });
  const { port, close } = await listen(server);
  const url = `http://localhost:${port}`;
  const client = poolTo(url, pool);
  open.push(client, { close });
  const post = (body: string | Buffer = '', path = '/', more: Readonly<Record<string, string>> = {}) =>
    client.request({ headers: { ':method': 'POST', ...more }, path, body: Buffer.from(body) });
  return { url, client, post, connections: () => connections };
}

const poolOptions: Http2PoolOptions = {
  connections: 2,
  streamsPerConnection: 250,
  provesItself: false,
  timeoutMs: 10_000,
  pingEveryMs: 60_000,
  idleAfterMs: 60_000,
};

const poolTo = (url: string, options: Partial<Http2PoolOptions> = {}) =>
  new Http2Pool(url, { ...poolOptions, ...options });

const failureOf = (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

/** Answers 400 with the request's path and body, because the body of a 200 is not read. */
const echo: Handler = (stream, headers, body) => {
  stream.respond({ ':status': 400, 'retry-after': String(body.length) });
  stream.end(`${headers[':path']} ${body.toString()}`);
};

describe('a request', () => {
  it('is sent whole, and gets its answer', async () => {
    const { post } = await peer(echo);
    expect(await post('hello', '/a')).toEqual({ status: 400, body: '/a hello', retryAfter: '5' });
    expect(await post('', '/b')).toEqual({ status: 400, body: '/b ', retryAfter: '0' });
  });

  it('may have a long path and a body of several frames', async () => {
    const { post } = await peer(echo);
    const [path, body] = [`/${'p'.repeat(3900)}`, 'b'.repeat(50_000)];
    expect(await post(body, path)).toMatchObject({ retryAfter: '50000' });
    expect(await post('x', path)).toMatchObject({ body: `${path} x` });
  });

  it('with too large a head is answered 431 here, and the peer gets only the others', async () => {
    const { post, connections } = await peer(echo);
    const long = 'x'.repeat(4096);
    const answers = await Promise.all([
      post('a', `/${long}`),
      post('b'),
      post('c', '/', { 'x-long': long }),
      post('d', '/', Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-${i}`, '']))),
      post('e'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([431, 400, 431, 431, 400]);
    expect(connections()).toBe(1);
  });

  it('that cannot be written is at fault alone: those beside it are answered, and the peer is not', async () => {
    const { url } = await peer(echo);
    const [closed, again] = [vi.fn(), vi.fn()];
    const connection = await new Promise<Http2Connection>((ready) => {
      const options = { ...poolOptions, provesItself: true };
      const owner = { changed: () => ready(made), lost: vi.fn(), refused: again, closed };
      const made = new Http2Connection(new URL(url), options, owner);
    });
    const [large, small] = ['x'.repeat(70_000), ''].map((path) => {
      const request = { headers: { ':method': 'POST' }, path: `/${path}`, body: Buffer.from('x') };
      return new Promise<PushAnswer>((resolve, reject) => connection.start(new Exchange(request, resolve, reject)));
    });
    expect(await large).toMatchObject({ status: 431 });
    expect(await small).toMatchObject({ status: 400 });
    await expect.poll(() => closed.mock.calls).toEqual([[connection, undefined]]);
    expect(again).not.toHaveBeenCalled();
  });

  it('is one of many on one connection', async () => {
    const { post, connections } = await peer(echo);
    const bodies = Array.from({ length: 200 }, (_, i) => `body ${i}`);
    const answers = await Promise.all(bodies.map((body, i) => post(body, `/${i}`)));
    expect(answers.map(({ body }) => body)).toEqual(bodies.map((body, i) => `/${i} ${body}`));
    expect(connections()).toBe(1);
  });

  it.each<[string, ServerOptions]>([
    ['windows of a few bytes', { settings: { initialWindowSize: 10 } }],
    ['no table for headers', { settings: { headerTableSize: 0 } }],
    ['a small table for headers', { settings: { headerTableSize: 100 } }],
    ['frames filled up', { paddingStrategy: constants.PADDING_STRATEGY_MAX }],
    ['a few streams at a time', { settings: { maxConcurrentStreams: 3 } }],
  ])('arrives at a peer that wants %s', async (_what, options) => {
    const { post } = await peer(echo, options);
    const body = 'b'.repeat(3000);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => post(body, `/${i}`, { 'x-a': `${i % 7}` })));
    expect(answers.map((answer) => answer.body)).toEqual(answers.map((_, i) => `/${i} ${body}`));
  });

  it('waits with its body for the connection’s window', async () => {
    const { post } = await peer(echo);
    const body = 'b'.repeat(9000);
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(body)));
    expect(answers.every(({ retryAfter }) => retryAfter === '9000')).toBe(true);
  });

  it('and its answer are decoded with any state of the header tables', async () => {
    const mirror: Handler = (stream, headers) => {
      stream.respond({ ':status': 400, 'retry-after': String(headers['x-value']), 'x-size': headers['x-value'] });
      stream.end();
    };
    const { post } = await peer(mirror);
    const values = Array.from({ length: 300 }, (_, i) => `${i}-${'~x^Q'.repeat((i * 7919) % 150)}`);
    for (const value of values) expect((await post('', '/', { 'x-value': value })).retryAfter).toBe(value);
  });
});

describe('an answer', () => {
  it('of 200 is available before its body', async () => {
    const { post } = await peer((stream) => stream.respond({ ':status': 200 }));
    expect(await post()).toEqual({ status: 200, body: '', retryAfter: undefined });
  });

  it('may be announced, and have trailers', async () => {
    const { post } = await peer((stream) => {
      stream.additionalHeaders({ ':status': 103 });
      stream.respond({ ':status': 410 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': 'end' }));
      stream.end('gone');
    });
    expect(await post()).toMatchObject({ status: 410, body: 'gone' });
  });

  it('that is endless is cut, and the connection stays open', async () => {
    const { post, connections } = await peer((stream) => {
      stream.respond({ ':status': 500 });
      stream.end('x'.repeat(500_000));
    });
    for (let i = 0; i < 10; i++) expect((await post()).body).toBe('x'.repeat(16_384));
    expect(connections()).toBe(1);
  });

  it("of many bytes does not exhaust the peer's window", async () => {
    const { post } = await peer((stream) => {
      stream.respond({ ':status': 400 });
      stream.end('x'.repeat(16_000));
    });
    for (let i = 0; i < 150; i++) expect((await post()).body).toHaveLength(16_000);
  });
});

describe('a stream that the peer ends', () => {
  it('unread is sent again', async () => {
    let refused = 0;
    const { post } = await peer((stream, headers, body) =>
      refused++ < 3 ? stream.close(constants.NGHTTP2_REFUSED_STREAM) : echo(stream, headers, body),
    );
    expect(await post('x')).toMatchObject({ body: '/ x' });
  });

  it('with an error is postponed, because it may have been processed', async () => {
    let count = 0;
    const { post } = await peer((stream) => {
      count++;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    expect(await failureOf(post())).toMatchObject({ reason: 'ConnectionLost' });
    expect(count).toBe(1);
  });

  it('not at all is abandoned in time, and the connection stays open', async () => {
    let silent = true;
    const answer: Handler = (stream, headers, body) => silent || echo(stream, headers, body);
    const { post, connections } = await peer(answer, {}, { timeoutMs: 300 });
    expect(await failureOf(post())).toMatchObject({ reason: 'Timeout' });
    silent = false;
    expect(await post('x')).toMatchObject({ body: '/ x' });
    expect(connections()).toBe(1);
  });
});

/** Short times: node:http2 leaves it to them to give up a peer that breaks the rules and does not hang up. */
const hasty = { timeoutMs: 300, pingEveryMs: 200 };

/** A peer that greets, and after a request says the same bytes to everybody. */
async function talker(said: () => Uint8Array, then: (socket: Socket) => void = () => {}) {
  const server = createTcp((socket) => {
    socket.on('error', () => {});
    socket.write(emptySettings);
    socket.once('data', () => {
      socket.write(said());
      then(socket);
    });
  });
  const { port, sockets, close } = await listen(server);
  open.push({ close });
  const post = (pool: Http2Pool) => pool.request({ headers: { ':method': 'POST' }, path: '/', body: Buffer.from('x') });
  const pool = poolTo(`http://localhost:${port}`, hasty);
  open.push(pool);
  return { url: `http://localhost:${port}`, sockets, post: (to = pool) => post(to) };
}

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const emptySettings = bytes('000000 04 00 00000000');

it('fails at once while the peer has not answered for some time, and works again when it answers', async () => {
  let isQuiet = true;
  const owed: ServerHttp2Stream[] = [];
  const answer = (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true });
  const { post } = await peer((stream) => (isQuiet ? owed.push(stream) : answer(stream)), {}, { patienceMs: 50 });
  const begun = [post()];
  const failure = async () => {
    const sending = post();
    const failed = await Promise.race([failureOf(sending), new Promise<void>((go) => setImmediate(go))]);
    if (!failed) begun.push(sending);
    return failed;
  };
  await expect.poll(failure).toMatchObject({ reason: 'Unreachable (lately)', retryAfterMs: 50 });
  isQuiet = false;
  for (const stream of owed) answer(stream);
  for (const sending of begun) expect(await sending).toMatchObject({ status: 200 });
  expect(await post()).toMatchObject({ status: 200 });
});

/** A way to a peer, on which nothing travels any more once it is cut: neither bytes nor the end of a connection. */
async function wayTo(url: string) {
  const state = { made: 0, isCut: false };
  const server = createTcp((near) => {
    const isFirst = state.made++ === 0;
    const passes = () => !(isFirst && state.isCut);
    const far = connectTcp(Number(new URL(url).port), 'localhost');
    near.on('error', () => {}).on('data', (data) => passes() && far.write(data));
    far.on('error', () => {}).on('data', (data) => passes() && near.write(data));
  });
  const { port, close } = await listen(server);
  open.push({ close });
  return { url: `http://localhost:${port}`, state };
}

describe('a connection that breaks silently', () => {
  const request = { headers: { ':method': 'POST' }, path: '/', body: Buffer.from('x') };
  const times = { patienceMs: 100, pongMs: 200 };

  it.each([1, 2])(
    'is cut and replaced within seconds, with one line in the log, of at most %i',
    async (connections) => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      const { url } = await peer(echo);
      const way = await wayTo(url);
      const pool = poolTo(way.url, { ...times, connections });
      open.push(pool);
      expect(await pool.request(request)).toMatchObject({ status: 400 });
      way.state.isCut = true;
      expect(await failureOf(pool.request(request))).toMatchObject({ reason: 'ConnectionLost' });
      expect(await pool.request(request)).toMatchObject({ status: 400 });
      expect(way.state.made).toBe(2);
      expect(warn.mock.calls).toEqual([[`A connection to ${new URL(way.url).host} has broken silently: replacing it`]]);
    },
  );

  it('delays no new request, even before it is cut', async () => {
    const { url } = await peer(echo);
    const way = await wayTo(url);
    const pool = poolTo(way.url, { ...times, pongMs: 60_000, connections: 1 });
    open.push(pool);
    expect(await pool.request(request)).toMatchObject({ status: 400 });
    way.state.isCut = true;
    const lost = failureOf(pool.request(request));
    const statuses: number[] = [];
    await until(() => {
      pool.request(request).then(
        ({ status }) => statuses.push(status),
        () => undefined,
      );
      return statuses.length > 0;
    }, 'a request is answered on another connection');
    pool.close();
    expect(await lost).toMatchObject({ reason: 'ConnectionLost' });
  });
});

it('ends a connection after GOAWAY once the last answer has arrived', async () => {
  const goaway = '000008 07 00 00000000 00000001 00000000';
  const { post, sockets } = await talker(() => bytes(`${goaway} 000001 01 05 00000001 8c`));
  expect(await post()).toMatchObject({ status: 400 });
  await expect.poll(() => sockets.size).toBe(0);
  expect(await post()).toMatchObject({ status: 400 });
});

/** A way to a peer that stays open at this end, whatever the peer does. */
async function clingingTo(url: string) {
  let made = 0;
  const server = createTcp({ allowHalfOpen: true }, (near) => {
    made++;
    const far = connectTcp(Number(new URL(url).port), 'localhost');
    near.on('error', () => {}).on('data', (data) => far.write(data));
    far.on('error', () => {}).on('data', (data) => near.write(data));
  });
  const { port, sockets, close } = await listen(server);
  open.push({ close });
  /** Only what is written to a socket shows that the other end is closed. */
  const stillOpen = () => {
    for (const socket of sockets) socket.write('\0');
    return sockets.size;
  };
  return { url: `http://localhost:${port}`, open: stillOpen, made: () => made };
}

describe('a peer that never hangs up', () => {
  const answer: Handler = (stream) => stream.respond({ ':status': 200 }, { endStream: true });
  const leave: Handler = (stream, headers, body) => {
    answer(stream, headers, body);
    stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id);
  };

  it.each<[string, Handler, Partial<Http2PoolOptions>]>([
    ['says GOAWAY', leave, {}],
    ['is idle', answer, { pingEveryMs: 200, idleAfterMs: 1 }],
  ])('and %s gets further requests on new connections; old ones are cut in time', async (_, handle, options) => {
    const { url } = await peer(handle);
    const way = await clingingTo(url);
    const pool = poolTo(way.url, { ...options, lingerMs: 1000, timeoutMs: 5000 });
    open.push(pool);
    const request = { headers: { ':method': 'POST' }, path: '/', body: Buffer.from('x') };
    const isRenewed = async (): Promise<boolean> => {
      expect(await pool.request(request)).toMatchObject({ status: 200 });
      return way.made() >= 8;
    };
    await until(isRenewed, 'many connections were needed', 50_000);
    await until(() => way.open() === 0, 'all are cut');
  });

  it('is given up as unreachable, and logged once, while it takes no request', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { post, url } = await peer(echo, { settings: { maxConcurrentStreams: 0 } }, { timeoutMs: 200 });
    for (let round = 0; round < 2; round++) {
      const failures = await Promise.all([failureOf(post()), failureOf(post())]);
      for (const failed of failures) expect(failed).toMatchObject({ reason: 'Unreachable (no stream)' });
      for (const failed of failures) expect(failed).toBeInstanceOf(SendLater);
    }
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining(new URL(url).host)]);
  });
});

it('may be closed by a caller that has just been answered', async () => {
  // Where it went wrong the process died, of a corrupted heap, within a few rounds.
  const { url } = await peer((stream, headers) => {
    stream.respond({ ':status': Number(headers['x-count']) % 10 === 3 ? 404 : 200, 'content-type': 'text/plain' });
    stream.end('an answer');
  });
  for (let round = 0; round < 40; round++) {
    const pool = poolTo(url);
    const send = (_: unknown, i: number) =>
      pool.request({ headers: { ':method': 'POST', 'x-count': `${i}` }, path: '/', body: Buffer.from('x') });
    expect(await Promise.all(Array.from({ length: 40 }, send))).toHaveLength(40);
    pool.close();
  }
});

it('survives a peer that sends malformed data', async () => {
  let nonsense: Uint8Array = Buffer.alloc(0);
  const { url, post } = await talker(
    () => nonsense,
    (socket) => socket.end(),
  );
  await assert(
    asyncProperty(uint8Array({ minLength: 1, maxLength: 200 }), async (said) => {
      nonsense = said;
      const pool = poolTo(url, hasty);
      expect(await failureOf(post(pool))).toBeInstanceOf(SendLater);
      pool.close();
    }),
    { numRuns: 30 },
  );
});

it.each([
  ['a frame that is too large', 'ffffff 00 00 00000001'],
  ['a push', '000004 05 04 00000001 00000002'],
  ['HEADERS within HEADERS', '000001 01 00 00000001 88 000001 01 04 00000001 88'],
  ['a CONTINUATION of nothing', '000001 09 04 00000001 88'],
  ['a header block that is none', '000001 01 05 00000001 ff'],
  ['a window that is too large', '000004 08 00 00000000 7fffffff'],
  ['more padding than frame', '000001 00 08 00000001 05'],
  ['a reset without a code', '000000 03 00 00000001'],
])('closes a connection after %s', async (_what, hex) => {
  const { post, sockets } = await talker(() => bytes(hex));
  expect(await failureOf(post())).toBeInstanceOf(SendLater);
  await expect.poll(() => sockets.size).toBe(0);
});

it('reaches a recovered peer even if the clock was set back', async () => {
  const { post, url } = await peer(echo);
  const away = createTcp();
  const { port, close } = await listen(away);
  await close();
  const client = poolTo(`http://localhost:${port}`);
  open.push(client);
  const request = { headers: { ':method': 'POST', ':path': '/' }, body: Buffer.from('') };
  expect(await failureOf(client.request(request))).toBeInstanceOf(SendLater);
  setClockBack();
  const server = createServer();
  server.on('stream', (stream) => stream.respond({ ':status': 200 }, { endStream: true }));
  server.listen(port);
  open.push(server);
  await until(
    () =>
      client.request(request).then(
        ({ status }) => status === 200,
        () => false,
      ),
    'it is reached',
  );
  expect((await post('x')).status).toBe(400);
  expect(url).toContain('http');
});
