import type { IncomingMessage } from 'node:http';
import { ownText } from '#common';
import { messageOf, type PlatformRequest } from './raw-body.js';
import { readAddress } from './read-address.js';
import { type IsTrusted, maxProxies } from './trusted-proxies.js';

/** The address at the other end of the connection; empty once the connection is closed. */
export const peerAddress = ({ socket }: IncomingMessage): string => readAddress(socket.remoteAddress ?? '') ?? '';

/**
 * The address of a request's client, by the proxies that the host's platform trusts. A proxy that reports no address is
 * itself the client.
 */
export const clientAddress = (request: PlatformRequest & { readonly ip?: string }): string =>
  readAddress(request.ip ?? '') ?? peerAddress(messageOf(request));

/**
 * The client's address as trusted proxies report it, for requests that the host's platform does not see. Each proxy
 * appends the address of its client, so the header is read from its end, as far as the proxies are trusted.
 *
 * @returns undefined if no trusted proxy reports an address
 */
export function forwardedAddress(request: IncomingMessage, isTrusted: IsTrusted): string | undefined {
  return forwardedIn(String(request.headers['x-forwarded-for'] ?? ''), peerAddress(request), isTrusted);
}

/** The same by the header's value and the address at the other end of the connection. */
export function forwardedIn(header: string, peer: string, isTrusted: IsTrusted): string | undefined {
  if (header === '') return undefined;
  let address: string | undefined;
  let end = header.length;
  for (let hop = 0; hop < maxProxies && end >= 0 && isTrusted(address ?? peer, hop); hop++) {
    const comma = header.lastIndexOf(',', end - 1);
    const client = readAddress(header.slice(comma + 1, end));
    if (client === undefined) break;
    address = client;
    end = comma;
  }
  return address && ownText(address);
}
