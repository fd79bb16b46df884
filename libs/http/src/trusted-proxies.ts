import { BlockList, isIP } from 'node:net';
import { readAddress } from './read-address.js';

/**
 * Whether a proxy is trusted to report its client's address in `X-Forwarded-For`.
 * @param hop 0 for the other end of the connection, 1 for the client that it reports, and so on
 */
export type IsTrusted = (address: string, hop: number) => boolean;

/** How many proxies one behind the other are believed: a header has room for thousands of addresses. */
export const maxProxies = 32;

/** The networks that have a name, as in Express and Fastify. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** What {@link trustedProxies} accepts. */
export const proxyListRule = `must list addresses of proxies or their networks, such as "10.0.0.7, 10.1.0.0/16", or ${Object.keys(named).join(', ')}`;

/** @returns undefined if the list contains anything but addresses, networks and their names, separated by commas */
export function trustedProxies(list: string): IsTrusted | undefined {
  const proxies = new BlockList();
  const networks = list.split(',').flatMap((each) => named[each.trim()] ?? each.trim());
  if (!networks.every((network) => add(network, proxies))) return undefined;
  return (text, hop) => {
    if (hop >= maxProxies) return false;
    const address = readAddress(text);
    return address !== undefined && proxies.check(address, familyOf(address));
  };
}

export const isProxyList = (list: unknown): boolean => typeof list === 'string' && trustedProxies(list) !== undefined;

function add(network: string, proxies: BlockList): boolean {
  const [address = '', length, ...rest] = network.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (length === undefined) proxies.addAddress(address, familyOf(address));
  else if (isPrefixLength(length, family)) proxies.addSubnet(address, Number(length), familyOf(address));
  else return false;
  return true;
}

/** A length of 0 would trust every client. */
const isPrefixLength = (text: string, family: number): boolean =>
  /^[1-9]\d{0,2}$/.test(text) && Number(text) <= (family === 6 ? 128 : 32);

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
