import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.js';

describe('the address of a client', () => {
  it.each([
    ['is that of the other end', '203.0.113.9', undefined, '203.0.113.9'],
    ['is what a proxy of the own network says', '10.0.0.7', '203.0.113.9', '203.0.113.9'],
    ['is what the last proxy says, not what the client says', '10.0.0.7', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['may be one of IPv6', '::1', '2001:db8::7', '2001:db8::7'],
    ['is not what a client of the internet says', '8.8.8.8', '198.51.100.1', '8.8.8.8'],
    ["is the proxy's if the header has no address", '10.0.0.7', 'unknown', '10.0.0.7'],
    ['is empty when nothing is known any more', '', undefined, ''],
  ])('%s', (_, peer, forwardedFor, address) => {
    expect(clientAddress(peer, forwardedFor)).toBe(address);
  });
});
