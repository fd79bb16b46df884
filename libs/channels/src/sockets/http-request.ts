import { ownText } from '#common';
import { type ConnectionRequest, connectionRequest } from './connection-request.js';

/** What an HTTP request does: receive in one answer (`poll`), receive in a stream, or send messages. */
export type HttpPurpose = 'poll' | 'stream' | 'send';

/** A request of pusher-js's HTTP transports (channels-wire §11). */
export interface HttpRequest {
  /** The same values that a WebSocket request carries. */
  readonly asked: ConnectionRequest;
  /** Identifies the connection within its key. The client chooses it. */
  readonly id: string;
  readonly purpose: HttpPurpose;
  /** Unique for each request of a client: the same mark means that the browser repeated the request. */
  readonly mark: string | undefined;
}

const form = /^(.*)\/pusher(\/app\/[^/?]+)\/(\d{1,3}\/[\w-]{8,64})\/x[hd]r(_streaming|_send)?(?=\?|$)/;
const marks = /[?&]t=(\d{1,15})&n=(\d{1,15})(?=&|$)/;

/**
 * @param target the request target of the request line
 * @returns `undefined` when the path is not
 *   `<prefix>[/session/<id>]/pusher/app/<key>/<number>/<id>/xhr[_streaming|_send]`
 */
export function httpRequest(target: string, prefix: string, isStrict: boolean): HttpRequest | undefined {
  // Every POST of a host comes through here.
  if (!target.includes('/pusher/app/')) return undefined;
  const [whole, before, app, id, way] = form.exec(target) ?? [];
  if (whole === undefined || before === undefined || app === undefined || id === undefined) return undefined;
  const asked = connectionRequest(before + app + target.slice(whole.length), prefix, isStrict);
  const purpose = way === undefined ? 'poll' : way === '_send' ? 'send' : 'stream';
  return asked && { asked, id: ownText(id), purpose, mark: markIn(target) };
}

/** Copied, because it outlives the URL string that it is a slice of. */
function markIn(target: string): string | undefined {
  const [, time, number] = marks.exec(target) ?? [];
  return time === undefined ? undefined : ownText(`t=${time}&n=${number}`);
}
