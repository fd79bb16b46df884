import { isIP } from 'node:net';
import { clientNetwork } from 'rookery/common';

/**
 * Whence a client came, for people: a proxy of the own network says for whom it asks.
 *
 * @param peer - who is at the other end of the transport
 * @param forwardedFor - what the request's `X-Forwarded-For` says
 */
export function clientAddress(peer: string, forwardedFor: string | undefined): string {
  if (forwardedFor === undefined || clientNetwork(peer) !== undefined) return peer;
  const said = forwardedFor.split(',').at(-1)?.trim() ?? '';
  return isIP(said) === 0 ? peer : said;
}
