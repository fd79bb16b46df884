import { describe, expect, it } from 'vitest';
import { trustedProxies } from '#http';

describe('a list of trusted proxies', () => {
  it.each([
    ['10.0.0.7', ['10.0.0.7', '::ffff:10.0.0.7', '10.0.0.7:80'], ['10.0.0.8', '::1', '', 'unknown']],
    ['10.0.0.0/8, ::1', ['10.255.0.1', '::1'], ['11.0.0.1', '::2']],
    ['fd00::/8', ['fd00::1', 'fdff::1'], ['fc00::1']],
    ['loopback', ['127.0.0.1', '127.8.8.8', '::1'], ['10.0.0.1']],
    ['linklocal,uniquelocal', ['169.254.1.1', 'fe80::1%eth0', '192.168.1.1', '172.31.0.1', 'fd00::1'], ['172.32.0.1']],
  ])('names with %j exactly its addresses', (list, trusted, others) => {
    const isTrusted = trustedProxies(list)!;
    for (const address of trusted) expect([address, isTrusted(address, 0)]).toEqual([address, true]);
    for (const address of others) expect([address, isTrusted(address, 0)]).toEqual([address, false]);
  });

  it.each(['', '1', 'true', 'nginx', '10.0.0', '10.0.0.7:80', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.0/8/8', '10.0.0.7,'])(
    'is refused: %j',
    (list) => expect(trustedProxies(list)).toBeUndefined(),
  );
});
