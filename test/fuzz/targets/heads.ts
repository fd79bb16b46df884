import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { plainPostHead } from '../../../apps/server/src/fast-path/request-head.js';
import type { Target } from '../target.js';

/** A connection to Node's server whose client is the caller. */
class Connection extends Duplex {
  override _read(): void {}
  override _write(_: unknown, __: unknown, done: () => void): void {
    done();
  }
}

interface Read {
  readonly requests: IncomingMessage[];
  readonly responses: ServerResponse[];
  isRefused: boolean;
}

let read: Read;
const node = createServer({
  keepAliveTimeout: 0,
  requestTimeout: 0,
  headersTimeout: 0,
  connectionsCheckingInterval: 2 ** 30,
});
node.on('request', (request: IncomingMessage, response: ServerResponse) => {
  read.requests.push(request);
  read.responses.push(response);
});
node.on('clientError', () => (read.isRefused = true));
for (const event of ['checkContinue', 'checkExpectation', 'upgrade', 'connect'] as const)
  node.on(event, () => (read.isRefused = true));

/** What Node's parser makes of bytes: 'data' is emitted, so that it reads them at once. */
function byNode(bytes: Buffer): Read {
  read = { requests: [], responses: [], isRefused: false };
  const connection = new Connection();
  node.emit('connection', connection);
  connection.emit('data', bytes);
  connection.destroy();
  return read;
}

const next = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n';

/** Offers of other protocols, which we ignore: Node gets the head without them. */
const offers = /\r\nupgrade:[^\r]*/gi;

/** Heads of requests that we read from the connection: Node's parser reads the same request, and finds the same end. */
export const heads = (): Target => ({
  name: 'heads',
  seeds: [
    'POST /apps/3/events?auth_key=k HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n{"name":"a"}',
    'POST /a HTTP/1.1\r\nhost:x\r\nContent-Type: application/json\r\nConnection: keep-alive\r\ncontent-length: 0\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    'POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}',
    'POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}',
    'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: x\r\nTrailer: a\r\nProxy-Connection: close\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n',
  ],
  batch: 1000,
  run(input) {
    const head = plainPostHead(input);
    if (head === undefined) return;
    if (head === 'incomplete') return assert.equal(input.includes('\r\n\r\n'), false);
    for (const size of [1, head.size >> 1, head.size - 1])
      assert.notEqual(typeof plainPostHead(input.subarray(0, size)), 'object', 'a part of a head is not whole');
    const body = Math.min(head.bodySize, 5000);
    for (const offer of head.text.match(offers) ?? []) assert.match(offer, /:[\t ]*h2c *$/i);
    const plain = Buffer.from(`${head.text.replaceAll(offers, '')}\r\n\r\n`, 'latin1');
    const whole = Buffer.concat([plain, Buffer.alloc(body, 'x'), Buffer.from(next)]);
    const { requests, responses, isRefused } = byNode(whole);
    const [request, behind] = requests;
    assert.equal(request?.method, 'POST');
    assert.equal(request.url, head.url);
    assert.equal(Number(request.headers['content-length']), head.bodySize);
    assert.equal(request.headers['transfer-encoding'], undefined);
    assert.equal(responses[0]?.shouldKeepAlive, head.keepAlive);
    if (body < head.bodySize) return;
    // After a close Node reads nothing more.
    assert.equal(isRefused, !head.keepAlive);
    assert.equal(behind?.url, head.keepAlive ? '/next' : undefined);
  },
});
