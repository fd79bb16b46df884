import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { App } from 'rookery/channels';
import type { PathPrefixes } from '#http';
import type { NotifyingApp } from './notifying-apps.js';
import { idIn, ReadLinks, tokenFor } from './read-links.js';

// No other field of the app is read.
const app = { id: 'app', secret: 'secret', keys: [] as App['keys'] } as App;
const id = randomUUID();
const now = 1_700_000_000_000;
const changed = (token: string): string => (token.startsWith('A') ? 'B' : 'A') + token.slice(1);

describe('the token of a link', () => {
  it('is valid for one notification, until it expires', () => {
    const token = tokenFor(app, id, now + 1000);
    expect(token).toMatch(/^[\w-]{72}$/);
    expect(idIn(app, token, now + 999)).toBe(id);
    expect(() => idIn(app, token, now + 1000)).toThrow('The link is not valid any more');
  });

  it('is valid as long as its secret', () => {
    const token = tokenFor(app, id, now + 1000);
    const renewed = { ...app, secret: 'new', keys: [{ key: 'old', secret: 'secret' }] };
    expect(idIn(renewed, token, now)).toBe(id);
    expect(() => idIn({ ...app, secret: 'new' }, token, now)).toThrow('not valid');
    const expired = [{ key: 'old', secret: 'secret', validUntil: '2026-01-01T00:00:00Z' }];
    expect(() => idIn({ ...renewed, keys: expired }, token, now)).toThrow('not valid');
  });

  it('is valid only as it was written', () => {
    const token = tokenFor(app, id, now + 1000);
    for (const other of [`${token} `, `${token}${' '.repeat(100_000)}`, `${token}==`, ` ${token}`])
      expect(() => idIn(app, other, now)).toThrow('not valid');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['several', ['a', 'b']],
    ['an empty one', ''],
    ['one of another length', 'a'.repeat(71)],
    ['one of another app', tokenFor({ ...app, id: 'other' }, id, now + 1000)],
    ['one that was changed', changed(tokenFor(app, id, now + 1000))],
  ])('is not %s', (_, token) => {
    expect(() => idIn(app, token, now)).toThrow('The link is not valid any more');
  });
});

it('is a link for linkSeconds', () => {
  const links = new ReadLinks({ base: '/base' } as PathPrefixes);
  const settings = { publicUrl: 'https://shop.example/', linkSeconds: 60 } as NotifyingApp;
  const link = new URL(links.linkOf(app, settings, id, now));
  expect(link.href).toMatch(/^https:\/\/shop\.example\/base\/apps\/app\/notifications\/read\?token=/);
  const token = link.searchParams.get('token');
  expect(idIn(app, token, now + 59_999)).toBe(id);
  expect(() => idIn(app, token, now + 60_000)).toThrow('not valid');
});
