import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  oneof,
  option,
  record,
  string,
  tuple,
} from 'fast-check';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'vitest';
import type { FastPathAnswer } from '../../apps/server/src/fast-path/fast-path-routes.js';
import { FastPathRoutes } from '../../apps/server/src/fast-path/fast-path-routes.js';
import { FastPathSockets } from '../../apps/server/src/fast-path/fast-path-sockets.js';
import { plainPostHead } from '../../apps/server/src/fast-path/request-head.js';

/** Every answer says what was read: the request line's target and the body. */
const answerTo = (url: string, body: Buffer): FastPathAnswer => {
  return { status: 200, contentType: 'text/plain', body: JSON.stringify([url, body.toString('latin1')]) };
};

function fromNode(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { status, contentType, body } = answerTo(request.url ?? '', Buffer.concat(chunks));
    response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}

const route = (url: string, body: Buffer): Promise<FastPathAnswer> => Promise.resolve(answerTo(url, body));
const routes = new FastPathRoutes({ events: route, batch_events: route }, 1000);

/** All that a server answers to the bytes until it closes the connection, but for the time of day. */
async function exchange(server: Server, bytes: Buffer): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  // A server that has heard enough may reset the connection.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(bytes);
  await closed;
  return text.replaceAll(/^Date: .*$/gm, 'Date: …');
}

/** Has the server close the connection. So long that no wrong length reaches beyond it. */
const last = `GET /last HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(200)}\r\nConnection: close\r\n\r\n`;

// Heads: a grammar whose words are often right.

const often = <T>(usual: T, ...rare: T[]) =>
  constantFrom(...Array.from({ length: 20 * rare.length }, () => usual), ...rare);
const space = often(' ', '', '\t', '  ', ' \t ', '\xa0', '\xa0 ', '\x0b', '\x0c', '\x85', '\x00');
const after = often('', ' ', '\t', '  ', '\t ', ' \t', '\xa0', '\x0b', '\x1f', '\x7f');
const lineEnd = constantFrom(...Array.from({ length: 300 }, () => '\r\n'), '\n', '\r', '\r\r\n', '\r\n ', '\r\n\t');
const line = oneof(
  { weight: 30, arbitrary: constantFrom('POST /apps/3/events HTTP/1.1', 'POST /apps/3/batch_events?a=b HTTP/1.1') },
  {
    weight: 10,
    arbitrary: string({ unit: constantFrom(...'ab%#?/;&=+"<>\\^`{|}~[]@:'), maxLength: 8 }).map(
      (query) => `POST /apps/3/events?${query} HTTP/1.1`,
    ),
  },
  {
    weight: 1,
    arbitrary: constantFrom(
      'POST /apps/3/events?\x80 HTTP/1.1',
      'POST /apps/3/events?\x7f HTTP/1.1',
      'POST /apps/3/events?\t HTTP/1.1',
      'POST  /apps/3/events HTTP/1.1',
      'POST /apps/3/events  HTTP/1.1',
      'POST /apps/3/events HTTP/1.1 ',
      'POST /apps/3/events HTTP/1.0',
      'POST /apps/3/events HTTP/2.0',
      'POST /apps/3/events http/1.1',
      'POST /apps/3/events',
      'POST http://x/apps/3/events HTTP/1.1',
      'POST //apps/3/events HTTP/1.1',
      'POST * HTTP/1.1',
      'post /apps/3/events HTTP/1.1',
      'PUT /apps/3/events HTTP/1.1',
      'GET /apps/3/events HTTP/1.1',
      '\r\nPOST /apps/3/events HTTP/1.1',
      ' POST /apps/3/events HTTP/1.1',
    ),
  },
);

/** `n` stands for the length of the body. */
const length = often('n', '0n', '+n', '-n', 'n,n', 'n, n', 'n n', 'n\t', '', '0xn', 'n.0', 'n;', '\u00b2');
const connection = constantFrom(
  ...Array.from({ length: 20 }, (_, at) => ['keep-alive', 'Keep-Alive', 'KEEP-ALIVE', 'close'][at % 4]!),
  'CLOSE',
  'keep-alive, close',
  'close, keep-alive',
  'close,',
  ',close',
  'closed',
  'keepalive',
  'close close',
  'upgrade',
  'x',
  '',
  'keep-alive,x',
  'close\t',
  '\tclose',
);
const named = (names: readonly string[], values: Arbitrary<string>) => tuple(constantFrom(...names), values);
const latin1 = string({ unit: constantFrom(...'aZ09 \t,;:"=()<>\\\x80\xa0\xff\x01\x7f\r\n'), maxLength: 8 });
const text = string({ unit: constantFrom(...'aZ09 \t,;:"=()<>\\\x80\xa0\xff'), maxLength: 8 });
const token = string({ unit: constantFrom(..."aZ9-_!#$%&'*+.^`|~"), minLength: 1, maxLength: 20 });
const lengths = named(['Content-Length', 'content-length', 'CONTENT-LENGTH'], length);
const hosts = named(['Host', 'host', 'HOST'], often('x', '', 'x:80', 'a b', 'x, y'));
const anyHeader = oneof(
  { weight: 24, arbitrary: tuple(token, text) },
  { weight: 6, arbitrary: named(['Connection', 'connection', 'CONNECTION'], connection) },
  {
    weight: 1,
    arbitrary: named(['Proxy-Connection', 'proxy-connection', 'Keep-Alive', 'Connectio', 'Connections'], connection),
  },
  { weight: 1, arbitrary: lengths },
  // Others are answered before the body has come, and then in whatever order with what comes behind it.
  { weight: 1, arbitrary: named(['Expect', 'expect'], constantFrom('100-continue', '100-Continue')) },
  { weight: 1, arbitrary: hosts },
  {
    weight: 1,
    arbitrary: named(
      ['Transfer-Encoding', 'TE', 'Content-Encoding'],
      constantFrom('chunked', 'gzip, chunked', 'identity', ''),
    ),
  },
  {
    weight: 1,
    arbitrary: named(['Upgrade', 'Trailer', 'Te', 'Via'], constantFrom('h2c', 'websocket', 'x', '')),
  },
  {
    weight: 1,
    arbitrary: tuple(constantFrom('X Odd', 'X-Odd ', '', ' X', 'X\x80', 'X(', 'X@', 'Content-Length ', 'X\0'), text),
  },
  { weight: 1, arbitrary: tuple(token, latin1) },
);
const header = (arbitrary: ReturnType<typeof named>) =>
  tuple(arbitrary, space, after, lineEnd).map(([[name, value], before, behind, end]) => ({
    name,
    value,
    before,
    behind,
    end,
  }));

interface Sent {
  readonly head: string;
  readonly body: string;
}

/** One that ends early makes an error of what is behind it, which Node tells in place of the answers under way. */
const endsOnce = ({ head }: Sent): boolean => head.indexOf('\r\n\r\n') === head.length - 4;

const sent = record({
  line,
  lineEnd,
  host: option(header(hosts), { freq: 30 }),
  length: option(header(lengths), { freq: 30 }),
  others: array(header(anyHeader), { maxLength: 3 }),
  isLengthLast: constantFrom(true, false),
  body: constantFrom('', '{}', 'hello', 'POST /'),
})
  .map(({ line: first, lineEnd: end, host, length: size, others, isLengthLast, body }): Sent => {
    const headers = [host, ...(isLengthLast ? [...others, size] : [size, ...others])].filter((each) => each !== null);
    const lines = headers.map(({ name, value, before, behind, end: lineEnds }) => {
      const said = name.toLowerCase().trim() === 'content-length' ? value.replaceAll('n', String(body.length)) : value;
      return `${name}:${before}${said}${behind}${lineEnds}`;
    });
    // An unexpected body is an error, which Node reports instead of the pending answers.
    const hasBody = headers.some(({ name }) => name.toLowerCase() === 'content-length');
    return { head: `${first}${end}${lines.join('')}\r\n`, body: hasBody ? body : '' };
  })
  .filter(endsOnce);

const bytesOf = ({ head, body }: Sent): string => head + body;

/** What we make of a request: answer it and keep or close the connection, or leave it to Node. */
function readingOf(request: Sent): 'kept' | 'closed' | undefined {
  const head = plainPostHead(Buffer.from(bytesOf(request), 'latin1'));
  if (head === undefined || head === 'incomplete' || !routes.find(head)) return undefined;
  return head.keepAlive ? 'kept' : 'closed';
}

/**
 * The bytes of connections. The requests that we answer share one, where Node must answer each of them too, and keep
 * it. What comes after a request that closes would be an error that Node answers first.
 */
function connectionsOf(requests: readonly Sent[]): string[] {
  const read = (reading: string | undefined): string[] =>
    requests.filter((each) => readingOf(each) === reading).map(bytesOf);
  return [read('kept').join('') + last, ...read('closed'), ...read(undefined).map((bytes) => bytes + last)];
}

/** On average. */
const perRun = 100;

/** Sends `count` heads to Node's server and to one that reads them itself: both must answer the same, byte by byte. */
export async function expectAnswersOfNode(count: number): Promise<void> {
  const [asNode, fast] = [createServer(fromNode), createServer(fromNode)];
  FastPathSockets.install(fast, routes);
  for (const server of [asNode, fast]) await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await compare(asNode, fast, count);
  } finally {
    for (const server of [asNode, fast]) server.close().closeAllConnections();
  }
}

async function compare(asNode: Server, fast: Server, count: number): Promise<void> {
  let all = 0;
  let plain = 0;
  await assert(
    asyncProperty(array(sent, { minLength: 1, maxLength: 2 * perRun - 1, size: 'max' }), async (requests) => {
      all += requests.length;
      plain += requests.filter(readingOf).length;
      const exchanges = connectionsOf(requests).map(async (text) => {
        const bytes = Buffer.from(text, 'latin1');
        const [expected, found] = await Promise.all([exchange(asNode, bytes), exchange(fast, bytes)]);
        // Each expectation makes a stack trace, which thousands that hold do not need.
        if (found !== expected) expect(found, JSON.stringify(text)).toBe(expected);
      });
      await Promise.all(exchanges);
    }),
    // So that a failure is told, with its seed, before the time is over.
    { numRuns: count / perRun, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  );
  // Else it would be Node that is compared with itself.
  expect(plain / all).toBeGreaterThan(0.3);
}
