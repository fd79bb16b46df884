import { describe, expect, it } from 'vitest';
import { isHostPattern } from '#common';
import { PermittedHosts } from './permitted-hosts.js';

it.each(['push.example', '*.push.example', '*', 'localhost', '127.0.0.1', '[::1]', 'Push.Example', 'a_b.example'])(
  'accepts %s as a host in a list',
  (text) => expect(isHostPattern(text)).toBe(true),
);

it.each(['', 'https://push.example', 'push.example:443', 'push.example/x', '*push.example', 'a.*.b', 'a..b', '*.', 7])(
  'rejects %j, which would never match',
  (text) => expect(isHostPattern(text)).toBe(false),
);

describe('permitted hosts', () => {
  const [here, there] = ['10.0.0.1', '1.0.0.255'];

  it.each([
    // what is listed, the private network, the host, its address, whether it may be asked
    [['push.example'], false, 'push.example', there, true],
    [['Push.Example'], false, 'push.example', there, true],
    [['push.example'], false, 'push.example', here, false],
    [['push.example'], false, 'other.example', there, false],
    [['*.push.example'], false, 'a.b.push.example', there, true],
    [['*.push.example'], false, 'push.example', there, false],
    [['*.push.example'], false, 'evilpush.example', there, false],
    [['*'], false, 'other.example', there, true],
    [['*'], false, 'other.example', here, false],
    [undefined, false, 'other.example', there, true],
    [['push.example'], true, 'push.example', here, true],
    [['push.example'], true, 'other.example', here, true],
    [['push.example'], true, 'other.example', there, false],
    [['*'], true, 'other.example', here, true],
    [['*'], true, 'other.example', there, true],
  ])('of %j, private network %s: %s at %s? %s', (hosts, allowPrivateNetwork, host, address, isPermitted) => {
    expect(new PermittedHosts(hosts, allowPrivateNetwork).permits(host, address)).toBe(isPermitted);
  });
});
