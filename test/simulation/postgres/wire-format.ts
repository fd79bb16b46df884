// The messages of PostgreSQL's protocol: a letter, the length of the rest with itself, and the rest.

/** A message of the server. */
export interface Message {
  readonly type: string;
  /** All of it. */
  readonly bytes: Buffer;
}

export function messagesIn(bytes: Uint8Array): readonly Message[] {
  // A copy: the backend uses the memory again.
  const all = Buffer.from(bytes);
  const messages: Message[] = [];
  for (let at = 0; at < all.length;) {
    const end = at + 1 + all.readInt32BE(at + 1);
    messages.push({ type: String.fromCharCode(all[at]!), bytes: all.subarray(at, end) });
    at = end;
  }
  return messages;
}

export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** A simple query. */
export const query = (text: string): Buffer => message('Q', Buffer.from(`${text}\0`));

/** The text of a simple query. */
export const textOf = (sent: Buffer): string | undefined =>
  sent[0] === 0x51 ? sent.toString('utf8', 5, sent.length - 1) : undefined;

/** The values of a row, as texts. */
export function textsOf({ bytes }: Message): readonly (string | null)[] {
  const values: (string | null)[] = [];
  for (let at = 7; at < bytes.length;) {
    const length = bytes.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? null : bytes.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return values;
}

/** The channel of a notification. */
export const channelOf = ({ bytes }: Message): string => bytes.toString('utf8', 9, bytes.indexOf(0, 9));

/** What a server answers to a connection that it takes without a password. */
export const welcome = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('server_version\x0018.0\0')),
  message('K', Buffer.alloc(8)),
  message('Z', Buffer.from('I')),
]);

/** A statement without rows of interest is done, and the connection is ready for the next one. */
export const answerToProbe = Buffer.concat([message('C', Buffer.from('SELECT 1\0')), message('Z', Buffer.from('I'))]);
