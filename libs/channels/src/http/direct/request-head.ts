/** What the head of a request says about how to read it. */
export interface RequestHead {
  readonly url: string;
  /** The whole head, as it came. */
  readonly text: string;
  /** The bytes of the head, the empty line included. */
  readonly size: number;
  readonly bodySize: number;
  readonly keepAlive: boolean;
}

/** Node's own bound for a head. */
const maxSize = 16_384;

// A line that this does not match means one thing to one parser and another to the next.
const plainPost = /^POST \/[!-~]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^`|~\w-]+:[\t -~\x80-\xff]*)*$/;

/**
 * Reads the head of a POST that is as plain as the SDKs' are. Whatever is rare or doubtful answers undefined: Node's
 * parser decides about it.
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

/** The headers that say where a request ends and what becomes of its connection. */
interface Framing {
  hosts: number;
  lengths: number;
  bodySize: number;
  /** Until one of them says `close`. */
  keepAlive: boolean;
  /** Whether there is one that asks for more than an answer, or says something that is not plain. */
  others: boolean;
}

function framingOf(head: string): Framing {
  const framing: Framing = { hosts: 0, lengths: 0, bodySize: 0, keepAlive: true, others: false };
  for (let start = head.indexOf('\r\n') + 2; start > 1;) {
    const colon = head.indexOf(':', start);
    const next = head.indexOf('\r\n', colon);
    // Lengths first: most names are looked at no further.
    if (isFramingLength(colon - start))
      take(framing, head.slice(start, colon).toLowerCase(), head.slice(colon + 1, next < 0 ? undefined : next));
    start = next < 0 ? 0 : next + 2;
  }
  return framing;
}

// Node's parser takes `Proxy-Connection` for a `Connection`. An `Idempotency-Key` frames nothing, but the controllers
// see to it.
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

// Nothing but what every parser takes for a space: a tab behind a value is part of it to some.
const plainLength = /^[\t ]*(\d{1,9}) *$/;
const plainConnection = /^[\t ]*(?:keep-alive|(close)) *$/i;

function take(framing: Framing, name: string, value: string): void {
  if (name === 'host') framing.hosts += 1;
  else if (name === 'content-length') takeLength(framing, plainLength.exec(value));
  else if (name === 'connection') takeConnection(framing, plainConnection.exec(value));
  else if (framingNames.includes(name)) framing.others = true;
}

function takeLength(framing: Framing, plain: RegExpExecArray | null): void {
  framing.lengths += 1;
  framing.bodySize = Number(plain?.[1]);
  framing.others ||= plain === null;
}

function takeConnection(framing: Framing, plain: RegExpExecArray | null): void {
  framing.keepAlive &&= plain?.[1] === undefined;
  framing.others ||= plain === null;
}
