import { expect, it } from 'vitest';
import { usedBytes } from '../../../../test/support/memory.js';
import { httpRequest } from './http-request.js';

const id = '42/abcdefgh';

it.each([
  [`/pusher/app/key/${id}/xhr`, 'poll'],
  [`/pusher/app/key/${id}/xhr_streaming?protocol=7`, 'stream'],
  [`/pusher/app/key/${id}/xhr_send?t=1&n=2`, 'send'],
  [`/pusher/app/key/${id}/xdr`, 'poll'],
  [`/pusher/app/key/${id}/xdr_streaming`, 'stream'],
  [`http://localhost:80/pusher/app/key/${id}/xhr`, 'poll'],
])('reads %s', (target, purpose) =>
  expect(httpRequest(target, '', false)).toMatchObject({ asked: { key: 'key', protocol: 7 }, id, purpose }),
);

it.each([
  [`/pusher/app/key/${id}/xhr?protocol=7&t=1700&n=3`, 't=1700&n=3'],
  [`/pusher/app/key/${id}/xhr_send?t=1700&n=4`, 't=1700&n=4'],
  [`/pusher/app/key/${id}/xhr`, undefined],
  [`/pusher/app/key/${id}/xhr?t=x&n=3`, undefined],
  [`/pusher/app/key/${id}/xhr?t=${'1'.repeat(16)}&n=3`, undefined],
])('reads what no two requests share: %s', (target, mark) => expect(httpRequest(target, '', false)?.mark).toBe(mark));

it('keeps only the requested parts of a long URL', () => {
  const session = 'a'.repeat(64);
  const longId = `42/${'b'.repeat(64)}`;
  const before = usedBytes();
  const asked = Array.from({ length: 1000 }, (_, n) => {
    const url = `/session/${session}/pusher/app/key/${longId}/xhr_send?t=1700000000000&n=${n}&x=${'y'.repeat(16_000)}`;
    return httpRequest(Buffer.from(url).toString(), '', false);
  });
  expect(usedBytes() - before).toBeLessThan(4_000_000);
  expect(asked.at(-1)).toMatchObject({ id: longId, asked: { session }, mark: 't=1700000000000&n=999' });
});

it('reads a prefix and a session before it', () => {
  const target = `/sockets/session/0123456789abcdef/pusher/app/key/${id}/xhr?protocol=5`;
  expect(httpRequest(target, '/sockets', false)).toMatchObject({
    asked: { key: 'key', session: '0123456789abcdef', protocol: 5, refusal: undefined },
  });
});

it.each([
  `/app/key/${id}/xhr`,
  `/pusher/app/key/xhr`,
  `/pusher/app/${id}/xhr`,
  `/pusher/app/a%2Fb/${id}/xhr`,
  `/pusher/app/key/1234/abcdefgh/xhr`,
  `/pusher/app/key/1/abcdefg/xhr`,
  `/pusher/app/key/${id}/xhr/`,
  `/pusher/app/key/${id}/xhr_stream`,
  `/pusher/app/key/${id}/websocket`,
  `/elsewhere/pusher/app/key/${id}/xhr`,
  `/elsewhere?/pusher/app/key/${id}/xhr`,
  '/pusher/auth',
  '',
])('is not meant by %s', (target) => expect(httpRequest(target, '', false)).toBeUndefined());
