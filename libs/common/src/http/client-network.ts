import { isIPv4 } from 'node:net';
import { ipv6Bits, isPublicAddress } from '../safe-fetch/public-address.js';

/**
 * What a client can be told by when it is counted: its IPv4 address, or the /64 that a subscriber of IPv6 has. Undefined
 * for a private address: behind it is a proxy, so everybody, or the own network.
 */
export function clientNetwork(address: string): string | undefined {
  if (!isPublicAddress(address)) return undefined;
  const [mapped] = /[\d.]+$/.exec(address) ?? [];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  return `${(ipv6Bits(address) >> 64n).toString(16)}/64`;
}
