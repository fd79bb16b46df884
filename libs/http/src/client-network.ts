import { isIPv4 } from 'node:net';
import { ipv6Bits, isPublicAddress, type RequestLimit } from '#common';
import { readAddress } from './read-address.js';

/**
 * The network by which a client is counted: its IPv4 address, or its /64 for IPv6. Undefined for a private address,
 * which belongs to a proxy, and so to all its clients, or to the own network.
 */
export function clientNetwork(text: string): string | undefined {
  const address = readAddress(text);
  if (address === undefined || !isPublicAddress(address)) return undefined;
  return isIPv4(address) ? address : `${(ipv6Bits(address) >> 64n).toString(16)}/64`;
}

/** How many networks a /48 of IPv6 counts for: its subscriber may have all 65,536 of them. */
export const wideTimes = 10;

/** The /48 of an IPv6 network; undefined for IPv4. */
export const wideNetwork = (network: string): string | undefined =>
  network.endsWith('/64') ? `${network.slice(0, 12)}/48` : undefined;

/** The limits of a client's network and of its /48, named `<what> <network>`; none for a private address. */
export function networkLimits(what: string, address: string, perSecond: number, atOnce: number): RequestLimit[] {
  const network = clientNetwork(address);
  if (network === undefined) return [];
  const limit: RequestLimit = { name: `${what} ${network}`, perSecond, atOnce };
  const wide = wideNetwork(network);
  if (wide === undefined) return [limit];
  return [limit, { name: `${what} ${wide}`, perSecond: wideTimes * perSecond, atOnce: wideTimes * atOnce }];
}
