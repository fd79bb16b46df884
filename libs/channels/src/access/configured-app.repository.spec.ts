import { describe, expect, it } from 'vitest';
import type { AppConfig } from '../app/app.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';

const [one, two] = [
  { id: '1', key: 'k1', secret: 's1', keys: [{ key: 'old', secret: 'o' }] },
  { id: '2', key: 'k2', secret: 's2' },
];
const apps = (...all: readonly AppConfig[]) => new ConfiguredAppRepository({ apps: all });

describe('configured apps', () => {
  it('are found by id, by key and by each further key', () => {
    const found = apps(one, two);
    expect([found.findById('1'), found.findByKey('k1'), found.findByKey('old')]).toEqual([one, one, one]);
    expect([found.findById('k1'), found.findByKey('1')]).toEqual([undefined, undefined]);
    expect([found.count, ...found.all]).toEqual([2, one, two]);
  });

  it.each([
    ['one', [one], one],
    ['two', [one, two], undefined],
    ['none', [], undefined],
  ])('of which there is %s have this one as the only one', (_, all, only) => {
    expect(apps(...all).only).toBe(only);
  });

  it.each([
    ['pass apps: [{ id, key, secret }] or appRepository', undefined],
    ['two apps have the id "1"', [one, { ...two, id: '1' }]],
    ['two apps have the key "k1"', [one, { ...two, key: 'k1' }]],
    ['two apps have the key "old"', [one, { ...two, key: 'old' }]],
    ['the app "1" has a key and secret twice', [{ ...one, keys: [{ key: 'k1', secret: 's1' }] }]],
  ])('are refused with “%s”', (message, all) => {
    expect(() => new ConfiguredAppRepository({ apps: all })).toThrow(message);
  });

  it('may have several secrets of a key', () => {
    const renewed = { ...two, keys: [{ key: 'k2', secret: 'before' }] };
    expect(apps(renewed).findByKey('k2')).toBe(renewed);
  });
});

describe('the digest of configured apps', () => {
  const digest = () => apps(one, two).digest;

  it.each([
    ['in another order', [two, one]],
    ['with other settings', [{ ...one, clientEvents: true }, two]],
    ['with no further keys, named', [one, { ...two, keys: [] }]],
  ])('is the same %s', (_, all) => {
    expect(apps(...all).digest).toBe(digest());
  });

  it.each([
    ['fewer apps', [one]],
    ['another id', [one, { ...two, id: '3' }]],
    ['another key', [one, { ...two, key: 'k3' }]],
    ['another secret', [one, { ...two, secret: 's3' }]],
    ['other further keys', [{ ...one, keys: [] }, two]],
  ])('is another with %s', (_, all) => {
    expect(apps(...all).digest).not.toBe(digest());
    expect(digest()).toMatch(/^[0-9a-f]{16}$/);
  });
});
