/** The parts of a request's head that determine how to read the request. */
export interface RequestHead {
  readonly url: string;
  /** The whole head, as received. */
  readonly text: string;
  /** The bytes of the head, including the empty line. */
  readonly size: number;
  readonly bodySize: number;
  readonly keepAlive: boolean;
}

/** Node's own limit for a head. */
const maxSize = 16_384;

// Parsers disagree about lines that these do not match.
const plainPost = /^POST \/[!-~]* HTTP\/1\.1$/;
const plainHeaders = /^(?:\r\n[!#$%&'*+.^`|~\w-]+:[\t -~\x80-\xff]*)*$/;

/**
 * Reads the head of a POST that is as plain as those of the SDKs. For anything rare or doubtful it answers undefined,
 * and Node's parser decides.
 */
export function plainPostHead(bytes: Buffer): RequestHead | 'incomplete' | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return mayBecomePost(bytes) ? 'incomplete' : undefined;
  if (end + 4 > maxSize) return undefined;
  const text = bytes.toString('latin1', 0, end);
  const lineEnd = text.indexOf('\r\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  if (!plainPost.test(line)) return undefined;
  const framing = framingOf(text.slice(line.length));
  if (!framing) return undefined;
  return { url: line.slice(5, -9), text, size: end + 4, bodySize: framing.bodySize, keepAlive: framing.keepAlive };
}

const beginning = 'POST /';

function mayBecomePost(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, beginning.length);
  return bytes.length < maxSize && beginning.startsWith(text);
}

/** What the headers of a head say of where its request ends and what happens to its connection. */
interface Framing {
  readonly bodySize: number;
  readonly keepAlive: boolean;
}

/** A server sends the same headers with nearly every request. */
const latest = new Map<string, Framing>();
const [mostLatest, longestLatest] = [64, 1024];

/** @returns undefined where a header requires more than an answer, or is not plain */
function framingOf(headers: string): Framing | undefined {
  const known = latest.get(headers);
  if (known) return known;
  const framing = readFraming(headers);
  if (!framing || headers.length > longestLatest) return framing;
  if (latest.size === mostLatest) latest.clear();
  // A part of a text keeps all of it in memory.
  latest.set(Buffer.from(headers, 'latin1').toString('latin1'), framing);
  return framing;
}

/** What has been read of them so far. */
interface Found {
  hosts: number;
  lengths: number;
  bodySize: number;
  /** True until a header says `close`. */
  keepAlive: boolean;
  /** Whether a header requires more than an answer, or is not plain. */
  others: boolean;
}

function readFraming(headers: string): Framing | undefined {
  if (headers === '' || !plainHeaders.test(headers)) return undefined;
  const found: Found = { hosts: 0, lengths: 0, bodySize: 0, keepAlive: true, others: false };
  for (let start = 2; start > 1;) {
    const colon = headers.indexOf(':', start);
    const next = headers.indexOf('\r\n', colon);
    // Compares lengths first, which rules out most names.
    if (isFramingLength(colon - start))
      take(found, headers.slice(start, colon).toLowerCase(), headers.slice(colon + 1, next < 0 ? undefined : next));
    start = next < 0 ? 0 : next + 2;
  }
  const { hosts, lengths, bodySize, keepAlive, others } = found;
  return others || hosts !== 1 || lengths !== 1 ? undefined : { bodySize, keepAlive };
}

// Node's parser treats `Proxy-Connection` as `Connection`. `Idempotency-Key` does not affect framing, but only the
// controllers handle it.
const framingNames = [
  'host',
  'expect',
  'upgrade',
  'trailer',
  'idempotency-key',
  'connection',
  'content-length',
  'proxy-connection',
  'transfer-encoding',
];
const framingLengths = framingNames.reduce((bits, { length }) => bits | (1 << length), 0);
const isFramingLength = (length: number): boolean => length < 32 && (framingLengths & (1 << length)) !== 0;

// Only spaces that every parser accepts: some treat a tab after a value as part of it.
const plainLength = /^[\t ]*\d{1,9} *$/;
const staying = /^[\t ]*(?:keep-alive|upgrade, http2-settings) *$/i;
const closing = /^[\t ]*close *$/i;
// Some clients offer HTTP/2 with every request; a server may ignore the offer.
const http2Offer = /^[\t ]*h2c *$/i;

function take(found: Found, name: string, value: string): void {
  if (name === 'host') found.hosts += 1;
  else if (name === 'content-length') takeLength(found, value);
  else if (name === 'connection') takeConnection(found, value);
  else if (framingNames.includes(name)) found.others ||= name !== 'upgrade' || !http2Offer.test(value);
}

function takeLength(found: Found, value: string): void {
  found.lengths += 1;
  found.bodySize = Number(value);
  found.others ||= !plainLength.test(value);
}

function takeConnection(found: Found, value: string): void {
  if (staying.test(value)) return;
  found.keepAlive = false;
  found.others ||= !closing.test(value);
}
