import { describe, expect, it } from 'vitest';
import { checkInfo, fieldsOf } from './server-checks.js';

const info = (fields: Record<string, string> = {}) =>
  new Map(Object.entries({ redis_version: '7.0.15', maxmemory: '0', maxmemory_policy: 'noeviction', ...fields }));

describe('a Redis at the start', () => {
  it.each([
    ['of version 7', info()],
    ['that has a limit and refuses writes beyond it', info({ maxmemory: '1000000' })],
    ['that would evict, but has no limit', info({ maxmemory_policy: 'allkeys-lru' })],
  ])('is accepted %s', (_, fields) => {
    expect(() => checkInfo(fields)).not.toThrow();
  });

  it.each([
    ['is too old', info({ redis_version: '6.2.1' }), 'Redis 7 or Valkey is needed, this is Redis 6.2.1'],
    [
      'may evict live state',
      info({ maxmemory: '1000000', maxmemory_policy: 'volatile-ttl' }),
      'maxmemory-policy is volatile-ttl: Redis may evict live state. Set it to noeviction',
    ],
    ['is a replica', info({ role: 'slave' }), 'This Redis is a replica: name the master, or its sentinels'],
  ])('is refused when it %s', (_, fields, text) => {
    expect(() => checkInfo(fields)).toThrow(text);
  });

  it('is parsed from the answer to INFO', () => {
    expect([...fieldsOf('# Server\r\nredis_version:7.2.4\r\n\r\n# Memory\r\nmaxmemory:0\r\n')]).toEqual([
      ['redis_version', '7.2.4'],
      ['maxmemory', '0'],
    ]);
  });
});
