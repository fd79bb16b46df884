import { describe, expect, it } from 'vitest';
import { redisLocation, shownUrl } from './redis-url.js';

const at = (host: string, port: number) => ({ host, port });

describe('the URL of a Redis', () => {
  it.each([
    ['redis://localhost', { kind: 'standalone', addresses: [at('localhost', 6379)], tls: false, db: 0 }],
    ['rediss://[::1]:7000/3', { kind: 'standalone', addresses: [at('::1', 7000)], tls: true, db: 3 }],
    [
      'redis://user:p%40ss:word@host:1',
      { kind: 'standalone', addresses: [at('host', 1)], tls: false, username: 'user', password: 'p@ss:word', db: 0 },
    ],
    [
      'redis+sentinel://:secret@a:1,b/mymaster/2',
      {
        kind: 'sentinel',
        addresses: [at('a', 1), at('b', 26379)],
        tls: false,
        password: 'secret',
        db: 2,
        master: 'mymaster',
      },
    ],
    [
      'redis+unix:///run/redis/redis.sock',
      { kind: 'standalone', addresses: [], socket: '/run/redis/redis.sock', tls: false, db: 0 },
    ],
    [
      'redis+unix://app:p%25w@/run/my%20redis.sock?db=2',
      {
        kind: 'standalone',
        addresses: [],
        socket: '/run/my redis.sock',
        tls: false,
        username: 'app',
        password: 'p%w',
        db: 2,
      },
    ],
    ['rediss+cluster://a:1,b:2', { kind: 'cluster', addresses: [at('a', 1), at('b', 2)], tls: true, db: 0 }],
  ])('%s is valid', (url, place) => {
    expect(redisLocation(url)).toEqual(place);
  });

  it.each([
    'http://localhost',
    'localhost:6379',
    'redis://',
    'redis://a,b',
    'redis://a/x',
    'redis://a:70000',
    'redis+sentinel://a',
    'redis+cluster://a/1',
    'redis+unix://run/redis.sock',
    'redis+unix:///run/redis.sock?db=x',
    'redis://:p%ss@host',
    'redis://us%er@host',
  ])('%s is invalid', (url) => {
    expect(redisLocation(url)).toBeUndefined();
  });

  it('is logged without its password', () => {
    expect(shownUrl('redis://user:secret@host:1/2')).toBe('redis://…@host:1/2');
  });
});
