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

// Parsers disagree about lines that this does not match.
const plainPost = /^POST \/[!-~]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^`|~\w-]+:[\t -~\x80-\xff]*)*$/;

/**
 * Reads the head of a POST that is as plain as those of the SDKs. For anything rare or doubtful it answers undefined,
 * and Node's parser decides.
 */
export function plainPostHead(bytes: Buffer): RequestHead | 'incomplete' | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return mayBecomePost(bytes) ? 'incomplete' : undefined;
  if (end + 4 > maxSize) return undefined;
  const text = bytes.toString('latin1', 0, end);
  if (!plainPost.test(text)) return undefined;
  const { hosts, lengths, bodySize, keepAlive, others } = framingOf(text);
  if (others || hosts !== 1 || lengths !== 1) return undefined;
  const url = text.slice(5, text.indexOf(' ', 5));
  return { url, text, size: end + 4, bodySize, keepAlive };
}

const beginning = 'POST /';

function mayBecomePost(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, beginning.length);
  return bytes.length < maxSize && beginning.startsWith(text);
}

/** The headers that determine where a request ends and what happens to its connection. */
interface Framing {
  hosts: number;
  lengths: number;
  bodySize: number;
  /** True until a header says `close`. */
  keepAlive: boolean;
  /** Whether a header requires more than an answer, or is not plain. */
  others: boolean;
}

function framingOf(head: string): Framing {
  const framing: Framing = { hosts: 0, lengths: 0, bodySize: 0, keepAlive: true, others: false };
  for (let start = head.indexOf('\r\n') + 2; start > 1;) {
    const colon = head.indexOf(':', start);
    const next = head.indexOf('\r\n', colon);
    // Compares lengths first, which rules out most names.
    if (isFramingLength(colon - start))
      take(framing, head.slice(start, colon).toLowerCase(), head.slice(colon + 1, next < 0 ? undefined : next));
    start = next < 0 ? 0 : next + 2;
  }
  return framing;
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

function take(framing: Framing, name: string, value: string): void {
  if (name === 'host') framing.hosts += 1;
  else if (name === 'content-length') takeLength(framing, value);
  else if (name === 'connection') takeConnection(framing, value);
  else if (framingNames.includes(name)) framing.others ||= name !== 'upgrade' || !http2Offer.test(value);
}

function takeLength(framing: Framing, value: string): void {
  framing.lengths += 1;
  framing.bodySize = Number(value);
  framing.others ||= !plainLength.test(value);
}

function takeConnection(framing: Framing, value: string): void {
  if (staying.test(value)) return;
  framing.keepAlive = false;
  framing.others ||= !closing.test(value);
}
