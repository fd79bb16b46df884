import { isIPv4, isIPv6 } from 'node:net';

const [dot, zero] = [0x2e, 0x30];

/** Networks without public hosts, as [first address, prefix length]. (IANA special-purpose registries.) */
const refusedIPv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT; also Alibaba's metadata service
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's wire server: metadata behind a public address
  ['169.254.0.0', 16], // link-local; the metadata service of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // also Oracle's metadata service
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
];

/** Parts of 2000::/3, the only global unicast space, without public hosts; 2002::/16 is judged by its IPv4. */
const refusedIPv6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // IETF protocols: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/**
 * Whether the public internet routes to an IP address: it is not private, loopback, link-local, shared, multicast,
 * reserved, documentation or a cloud's metadata service, nor an IPv6 form that embeds such an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicIPv4(ipv4Bits(address));
  return isIPv6(address) && isPublicIPv6(ipv6Bits(address));
}

/** For each connection; so the networks are read once. */
const isPublicIPv4 = (bits: number): boolean => !refusedIPv4Bits.some(([first, shift]) => bits >>> shift === first);

const refusedIPv4Bits = refusedIPv4.map(([network, prefix]) => {
  const shift = 32 - prefix;
  return [ipv4Bits(network) >>> shift, shift] as const;
});

function isPublicIPv6(bits: bigint): boolean {
  const embedded = embeddedIPv4(bits);
  if (embedded !== undefined) return isPublicIPv4(embedded);
  return within(bits, '2000::', 3) && !refusedIPv6.some(([network, prefix]) => within(bits, network, prefix));
}

/** The IPv4 address that a translator would connect to: IPv4-mapped, NAT64 and 6to4. */
function embeddedIPv4(bits: bigint): number | undefined {
  if (within(bits, '::ffff:0:0', 96) || within(bits, '64:ff9b::', 96)) return Number(bits & 0xffffffffn);
  if (within(bits, '2002::', 16)) return Number((bits >> 80n) & 0xffffffffn);
  return undefined;
}

function within(bits: bigint, network: string, prefix: number): boolean {
  return bits >> BigInt(128 - prefix) === ipv6Bits(network) >> BigInt(128 - prefix);
}

/** The 32 bits of a well-formed IPv4 address. Called for each connection, so it makes no list of octets. */
function ipv4Bits(address: string): number {
  let bits = 0;
  let octet = 0;
  for (let at = 0; at < address.length; at++) {
    const code = address.charCodeAt(at);
    if (code === dot) {
      bits = bits * 256 + octet;
      octet = 0;
    } else octet = octet * 10 + code - zero;
  }
  return bits * 256 + octet;
}

/** The 128 bits of a well-formed IPv6 address; a zone is ignored. */
export function ipv6Bits(address: string): bigint {
  const [head = '', tail] = withoutDottedTail(address.split('%')[0] ?? '').split('::');
  const left = groups(head);
  const right = groups(tail ?? '');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => 0n);
  return [...left, ...zeros, ...right].reduce((bits, group) => (bits << 16n) | group, 0n);
}

function groups(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}

/** Converts `::ffff:10.0.0.1` to groups only: `::ffff:a00:1`. */
function withoutDottedTail(address: string): string {
  const dotted = address.slice(address.lastIndexOf(':') + 1);
  if (!isIPv4(dotted)) return address;
  const bits = ipv4Bits(dotted);
  return `${address.slice(0, -dotted.length)}${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`;
}
