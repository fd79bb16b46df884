import { BlockList, isIP } from 'node:net';

/**
 * Whether `NO_PROXY` names the host of a URL, as curl and Go read it: a name also means the names below it, with or
 * without a leading dot, `10.0.0.0/8` all addresses of a network, and `*` every host. An entry with a port means it alone.
 */
export function isWithoutProxy(
  { hostname, port, protocol }: URL,
  list = process.env['NO_PROXY'] ?? process.env['no_proxy'] ?? '',
): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const ownPort = port || (protocol === 'http:' ? '80' : '443');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && isNamed(host, ownPort, entry));
}

function isNamed(host: string, ownPort: string, entry: string): boolean {
  if (entry === '*') return true;
  // A port follows a name, an IPv4 address or a bracketed IPv6 address.
  const [, name = entry, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (port !== undefined && port !== ownPort) return false;
  const bare = name.replace(/^\[|\]$/g, '');
  if (isIP(host)) return isInNetwork(host, bare);
  const domain = bare.replace(/^\*?\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function isInNetwork(address: string, entry: string): boolean {
  const [network = '', bits] = entry.split('/');
  const family = isIP(network);
  if (family === 0) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const most = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (bits === '' || !(Number.isInteger(prefix) && prefix >= 0 && prefix <= most)) return false;
  const networks = new BlockList();
  networks.addSubnet(network, prefix, type);
  return networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
