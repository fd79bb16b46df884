import type { IncomingMessage } from 'node:http';
import { glob, ownText } from '#common';
import { originForm, percentDecoded } from '#http';
import type { App } from '../app/app.js';
import { namesOfOrigin } from '../app/origin-pattern.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** Longer than any real host name with its scheme and port. */
const longestOrigin = 300;

/** What a client asks for when it opens `/app/<key>?protocol=7&client=js&version=8.6.0` (channels-wire §1.1). */
export interface ConnectionRequest {
  readonly key: string;
  /** The session that the client continues, from the path `/session/<id>` before `/app` (§12). */
  readonly session: string | undefined;
  /** 4 to 7; defaults to 7. */
  readonly protocol: number;
  readonly refusal: ProtocolError | undefined;
}

/**
 * @param target the request's target: a path with its query, or an absolute URL
 * @returns `undefined` when the path is not `<prefix>/app/<key>` or `<prefix>/session/<id>/app/<key>`
 */
export function connectionRequest(target: string, prefix: string, isStrict: boolean): ConnectionRequest | undefined {
  const url = originForm(target);
  if (!url.startsWith(prefix)) return undefined;
  const [before, session] = /^(?:\/session\/([^/?]*))?\/app\//.exec(url.slice(prefix.length)) ?? [];
  if (before === undefined) return undefined;
  const start = prefix + before;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url.slice(start.length) : url.slice(start.length, queryAt);
  const key = percentDecoded(path.replace(/\/$/, ''));
  if (key === '' || key.includes('/')) return undefined;
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  const protocol = query.get('protocol');
  const refused =
    session !== undefined && !/^[\w-]{16,64}$/.test(session)
      ? ProtocolError.invalidSession()
      : refusal(protocol, query.get('version'), isStrict);
  return { key, session: session && ownText(session), protocol: protocolOf(protocol), refusal: refused };
}

function protocolOf(text: string | null): number {
  const protocol = text !== null && /^\d{1,3}$/.test(text) ? Number(text) : 7;
  return protocol;
}

function refusal(protocol: string | null, version: string | null, isStrict: boolean): ProtocolError | undefined {
  if (protocol === null && isStrict) return ProtocolError.missingProtocol();
  if (protocol !== null && !/^[4-7]$/.test(protocol)) return ProtocolError.unsupportedProtocol();
  if (version !== null && !isVersion(version)) return ProtocolError.badVersion();
  return undefined;
}

/** Digits and dots, with an optional suffix for builds. */
const isVersion = (text: string): boolean => text.length <= 100 && /^\d+([-+.][0-9A-Za-z.+-]*)?$/.test(text);

/** Of sandboxed frames and of files, whichever site they are from. */
const opaqueOrigin = 'null';

/**
 * Whether the page's host matches one of the app's origins. Clients other than browsers send no Origin and may connect.
 */
export function isOriginAllowed({ allowedOrigins }: App, { headers }: IncomingMessage): boolean {
  const { origin } = headers;
  if (origin === undefined || allowedOrigins.includes('*')) return true;
  if (origin === opaqueOrigin) return allowedOrigins.some((pattern) => pattern.toLowerCase() === opaqueOrigin);
  if (origin.length > longestOrigin) return false;
  const names = namesOfOrigin(origin);
  return allowedOrigins.some((pattern) => names.some(glob(pattern.toLowerCase())));
}

/** Whether the client speaks TLS, to us or to a proxy that reports it. */
export function isEncrypted({ socket, headers }: IncomingMessage): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',', 1)[0];
  return /^(https|wss)$/i.test(forwarded?.trim() ?? '');
}
