import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves a name, like `dns.lookup` with `all: true`. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that answers only permitted addresses. The socket connects to one of these, so no second
 * lookup could give an unchecked answer.
 *
 * @param isPermitted - whether the address is permitted for the host
 * @param refusal - creates the error when no address is permitted
 */
export function guardedLookup(
  isPermitted: (hostname: string, address: string) => boolean,
  refusal: (hostname: string) => Error,
  resolve: ResolveAll = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { family: familyNumber(options.family), hints: options.hints, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ address }) => isPermitted(hostname, address));
      const [first] = addresses;
      if (!first) return callback(refusal(hostname), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

function familyNumber(family: number | 'IPv4' | 'IPv6' | undefined): number | undefined {
  return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}
