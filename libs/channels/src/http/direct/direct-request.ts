import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { keepBody } from 'rookery/common';
import type { RequestHead } from './request-head.js';

/** What a guard or a parameter may ask of a request that came past Node's parser: all but its stream. */
export class DirectRequest {
  readonly method = 'POST';
  readonly httpVersion = '1.1';
  readonly url: string;
  private read: Readonly<Record<string, string>> | undefined;

  constructor(
    private readonly head: RequestHead,
    body: Buffer,
    readonly socket: Socket,
  ) {
    this.url = head.url;
    // Whoever asks for more than this class has finds it undefined.
    keepBody(this as unknown as IncomingMessage, body);
  }

  /** By their names in lower case; of several with one name, all, joined as Node joins them. */
  get headers(): Readonly<Record<string, string>> {
    return (this.read ??= headersOf(this.head.text));
  }
}

function headersOf(head: string): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const before = headers.get(name);
    const value = line.slice(colon + 1).trim();
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}
