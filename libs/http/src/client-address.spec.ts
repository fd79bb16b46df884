import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, forwardedAddress, peerAddress, trustedProxies } from '#http';

const request = (remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  }) as unknown as IncomingMessage; // The parts in use.

describe('the address of a client', () => {
  const isTrusted = trustedProxies('10.0.0.7, ::1, 192.168.0.0/16')!;

  it.each([
    ['is that of the other end', '203.0.113.9', undefined, '203.0.113.9'],
    ['is what a trusted proxy says', '10.0.0.7', '203.0.113.9', '203.0.113.9'],
    ['is what the last proxy says, not what the client says', '10.0.0.7', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['is what the first of several proxies says', '10.0.0.7', '203.0.113.9, 192.168.0.1, 192.168.0.2', '203.0.113.9'],
    ['is read without the ports that proxies add', '10.0.0.7', '203.0.113.9:1024, 192.168.0.1:80', '203.0.113.9'],
    ['may be one of IPv6', '::1', '[2001:db8::7]:443', '2001:db8::7'],
    ['may come from a proxy on a socket of both families', '::ffff:10.0.0.7', '203.0.113.9', '203.0.113.9'],
    ['is not what another client of the own network says', '10.0.0.8', '203.0.113.9', '10.0.0.8'],
    ['is not what a client of the internet says', '8.8.8.8', '198.51.100.1', '8.8.8.8'],
    ["is the proxy's if the header has no address", '10.0.0.7', 'unknown', '10.0.0.7'],
    [
      "is the last proxy's if another reports no address",
      '10.0.0.7',
      '203.0.113.9, unknown, 192.168.0.1',
      '192.168.0.1',
    ],
    ['is empty when nothing is known any more', undefined, undefined, ''],
  ])('%s', (_, peer, forwardedFor, address) => {
    const asked = request(peer, forwardedFor);
    expect(forwardedAddress(asked, isTrusted) ?? peerAddress(asked)).toBe(address);
  });

  it('is read through 32 trusted proxies at most', () => {
    const asked = request('10.0.0.7', `203.0.113.9${', ::1'.repeat(31)}`);
    expect(forwardedAddress(asked, isTrusted)).toBe('203.0.113.9');
    const endless = request('10.0.0.7', `203.0.113.9${', ::1'.repeat(5000)}`);
    expect(forwardedAddress(endless, () => true)).toBe('::1');
    expect(isTrusted('::1', 32)).toBe(false);
  });

  it.each([
    ['is what the platform says', '203.0.113.9', '203.0.113.9'],
    ['is read without a port', '203.0.113.9:1024', '203.0.113.9'],
    ["is the proxy's if it reports no address", 'unknown', '10.0.0.7'],
  ])('%s, on a route of the platform', (_, ip, address) => {
    expect(clientAddress({ raw: request('10.0.0.7'), ip })).toBe(address);
  });
});
