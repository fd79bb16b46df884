import { isIP } from 'node:net';
import { clientNetwork } from '#common';

/**
 * The client's address, for display: a proxy in a private network is trusted to report it.
 *
 * @param peer - the address at the other end of the transport
 * @param forwardedFor - the request's `X-Forwarded-For`
 */
export function clientAddress(peer: string, forwardedFor: string | undefined): string {
  if (forwardedFor === undefined || clientNetwork(peer) !== undefined) return peer;
  const said = forwardedFor.split(',').at(-1)?.trim() ?? '';
  return isIP(said) === 0 ? peer : said;
}
