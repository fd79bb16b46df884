import { ownText } from 'rookery/common';
import { type ConnectionRequest, connectionRequest } from './connection-request.js';

/** What a request of the HTTP transports is for: to hear, in one answer or many, or to say something. */
export type HttpPurpose = 'poll' | 'stream' | 'send';

/** A request of pusher-js's HTTP transports (channels-wire §11). */
export interface HttpRequest {
  /** As a WebSocket's request would have asked for it. */
  readonly asked: ConnectionRequest;
  /** Names the connection among all of its key: the client has chosen it. */
  readonly id: string;
  readonly purpose: HttpPurpose;
  /** What no two requests of a client share: only a browser that makes one anew sends it again. */
  readonly mark: string | undefined;
}

const form = /^(.*)\/pusher(\/app\/[^/?]+)\/(\d{1,3}\/[\w-]{8,64})\/x[hd]r(_streaming|_send)?(?=\?|$)/;
const marks = /[?&]t=(\d{1,15})&n=(\d{1,15})(?=&|$)/;

/**
 * @param target what stands in the request line
 * @returns `undefined` when the path is not `<prefix>[/session/<id>]/pusher/app/<key>/<number>/<id>/xhr[_streaming|_send]`
 */
export function httpRequest(target: string, prefix: string, isStrict: boolean): HttpRequest | undefined {
  const [whole, before, app, id, way] = form.exec(target) ?? [];
  if (whole === undefined || before === undefined || app === undefined || id === undefined) return undefined;
  const asked = connectionRequest(before + app + target.slice(whole.length), prefix, isStrict);
  const purpose = way === undefined ? 'poll' : way === '_send' ? 'send' : 'stream';
  return asked && { asked, id: ownText(id), purpose, mark: markIn(target) };
}

/** Made anew, since it is kept for longer than the URL that it stands in. */
function markIn(target: string): string | undefined {
  const [, time, number] = marks.exec(target) ?? [];
  return time === undefined ? undefined : ownText(`t=${time}&n=${number}`);
}
