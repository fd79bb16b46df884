import { isIPv4, isIPv6 } from 'node:net';
import { ipv6Bits } from '#common';

/** The address within `[::1]:80` and `[::1]`, or within `1.2.3.4:80`. */
const bracketed = /^\[([^\]]*)\](?::\d+)?$/;
const withPort = /^([\d.]+):\d+$/;

/**
 * The IP address that a socket or a proxy names, without its port, brackets and zone: some proxies add the client's
 * port. An IPv4 address mapped to IPv6 is answered as IPv4. Undefined for any other text.
 */
export function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const named = text.trim();
  const [, inside = named] = bracketed.exec(named) ?? withPort.exec(named) ?? [];
  const [address = ''] = inside.split('%', 1);
  if (isIPv4(address)) return address;
  return isIPv6(address) ? unmapped(address) : undefined;
}

function unmapped(address: string): string {
  const bits = ipv6Bits(address);
  if (bits >> 32n !== 0xffffn) return address;
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
}
