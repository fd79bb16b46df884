import { BlockList } from 'node:net';
import { assert, constantFrom, ipV6, nat, pre, property } from 'fast-check';
import { expect, it } from 'vitest';
import { isPublicAddress } from './public-address.js';

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82f::200a',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('takes %s for public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ['this network', '0.0.0.0'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['metadata of AWS, GCP and Azure', '169.254.169.254'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['metadata of Oracle', '192.0.0.192'],
  ['wire server of Azure', '168.63.129.16'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['benchmarks', '198.19.255.255'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-compatible', '::10.0.0.1'],
  ['unique local', 'fd00::1'],
  ['unique local', 'fc00::1'],
  ['metadata of AWS', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['discard', '100::1'],
  ['segment routing', '5f00::1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in groups', '::ffff:7f00:1'],
  ['mapped metadata', '::ffff:169.254.169.254'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['NAT64 of a private address in groups', '64:ff9b::a00:1'],
  ['local NAT64', '64:ff9b:1::8.8.8.8'],
  ['6to4 of a private address', '2002:a00:1::1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['a name', 'localhost'],
  ['nothing', ''],
])('refuses %s: %s', (_why, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it('refuses each address of a private network in all its IPv6 forms', () => {
  const privateNetwork = constantFrom(10, 127, 0);
  const octet = nat(255);
  assert(
    property(privateNetwork, octet, octet, octet, (first, b, c, d) => {
      const dotted = `${first}.${b}.${c}.${d}`;
      const groups = `${((first << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const form of [dotted, `::ffff:${dotted}`, `::ffff:${groups}`, `64:ff9b::${groups}`, `2002:${groups}::`])
        expect(isPublicAddress(form), form).toBe(false);
    }),
  );
});

it('agrees with the system about any IPv6 address outside and inside global unicast', () => {
  const refused = new BlockList();
  refused.addSubnet('2001::', 23, 'ipv6');
  refused.addSubnet('2001:db8::', 32, 'ipv6');
  refused.addSubnet('3fff::', 20, 'ipv6');
  const unicast = new BlockList();
  unicast.addSubnet('2000::', 3, 'ipv6');
  assert(
    property(ipV6(), (address) => {
      pre(!/^(2002|0*64|0*:|::)/i.test(address) && !address.includes('.'));
      expect(isPublicAddress(address)).toBe(unicast.check(address, 'ipv6') && !refused.check(address, 'ipv6'));
    }),
  );
});
