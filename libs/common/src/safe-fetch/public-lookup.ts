import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { UnsafeUrl } from './safe-fetch-errors.js';

/** How a name is resolved: as `dns.lookup` with `all: true`. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that answers only public addresses. The socket connects to what it answers, so there is no
 * second lookup whose answer could differ from the one that was checked.
 */
export function publicLookup(resolve: ResolveAll = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { family: familyNumber(options.family), hints: options.hints, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ address }) => isPublicAddress(address));
      const [first] = addresses;
      if (!first) return callback(refusal(hostname), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

export function refusal(hostname: string): UnsafeUrl {
  return new UnsafeUrl('private-address', `${hostname} has no public address (set allowPrivateNetwork to permit it)`);
}

function familyNumber(family: number | 'IPv4' | 'IPv6' | undefined): number | undefined {
  return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}
