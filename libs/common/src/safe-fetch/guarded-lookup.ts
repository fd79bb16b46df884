import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { UnsafeUrl } from './safe-fetch-errors.js';

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
    const answer = (error: Error | null, found: LookupAddress[]): void => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ address }) => isPermitted(hostname, address));
      const [first] = addresses;
      if (!first) return callback(refusal(hostname), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    };
    const asked = { family: familyNumber(options.family), hints: options.hints, all: true } as const;
    // A socket that is answered at once may fail before anyone listens to its errors, which ends the process.
    resolve(hostname, asked, (error, found) => process.nextTick(answer, error, found));
  };
}

/** Closed networks often answer no names of the internet, and some never answer. */
const patienceMs = 2000;

/**
 * Rejects for a name whose addresses are known here and not permitted by `lookup`. A name that is not known is left to
 * the proxy.
 */
export function refusePrivate(hostname: string, lookup: LookupFunction | undefined): Promise<void> {
  if (!lookup || isIP(hostname.replace(/^\[|\]$/g, ''))) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, patienceMs);
    lookup(hostname, { all: true }, (error) => {
      clearTimeout(timer);
      if (error instanceof UnsafeUrl) reject(error);
      else resolve();
    });
  });
}

function familyNumber(family: number | 'IPv4' | 'IPv6' | undefined): number | undefined {
  return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}
