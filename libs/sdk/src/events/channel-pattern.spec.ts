import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelPattern } from './channel-pattern.js';

describe('a pattern', () => {
  it.each([
    ['private-orders.{orderId}', 'private-orders.7', { orderId: '7' }],
    ['private-orders.{orderId}', 'private-orders.a-b', { orderId: 'a-b' }],
    ['private-orders.{orderId}', 'private-orders.7.lines', undefined],
    ['private-orders.{orderId}', 'private-orders.', undefined],
    ['private-orders.{orderId}', 'private-ordersx7', undefined],
    ['private-orders.{orderId}.lines.{line}', 'private-orders.7.lines.2', { orderId: '7', line: '2' }],
    ['private-files.{path*}', 'private-files.a.b.c', { path: 'a.b.c' }],
    ['presence-room-{id}', 'presence-room-1', { id: '1' }],
    ['private-news', 'private-news', {}],
    ['{kind}-orders', 'private-orders', { kind: 'private' }],
    ['private-news', 'private-news2', undefined],
    ['private-{a}-{b}', 'private-1-2-3', { a: '1-2', b: '3' }],
    ['private-{a}-{b}', 'private-1-', undefined],
    ['private-{a}.{b*}', 'private-1.2.3', { a: '1', b: '2.3' }],
    ['private-{a*}.{b}', 'private-1.2.3', { a: '1.2', b: '3' }],
    ['{__proto__}-{a}', '1-2', JSON.parse('{"__proto__":"1","a":"2"}')],
  ])('%s is like %s: %o', (pattern, name, params) => {
    expect(new ChannelPattern(pattern).match(name)).toEqual(params);
  });

  it.each([
    ['private-orders.{order id}', 'has a character that channel names cannot have'],
    ['private-orders:{id}', 'has a character that channel names cannot have'],
    ['private-orders/:id', 'has a character that channel names cannot have: a parameter is written {id}'],
    ['private-orders.${id}', 'has a character that channel names cannot have: a parameter is written {id}'],
    ['private-{a}{b}', 'needs text between two parameters'],
    ['private-{id}.{id}', 'uses a parameter name twice'],
  ])('%s is none: %s', (pattern, message) => {
    expect(() => new ChannelPattern(pattern)).toThrow(message);
  });

  it.each([
    ['private-orders.{id}', 'private-orders.{orderId}', true],
    ['private-orders.{id}', 'private-orders.mine', true],
    ['private-orders.{id}', 'private-orders.{id}.lines', false],
    ['private-orders.{id}', 'private-orders.{path*}', true],
    ['private-{path*}', 'private-orders.{id}.lines', true],
    ['private-{a}-x', 'private-y-{b}', true],
    ['private-{a}-x', 'private-{b}-y', false],
    ['private-a.{x}', 'presence-a.{x}', false],
    ['private-{a}', 'private-b.c', false],
    ['private-{a}.{b}', 'private-{c*}', true],
    ['private-ab', 'private-abc', false],
  ])('%s and %s have a name in common: %s', (one, other, overlap) => {
    expect(new ChannelPattern(one).overlaps(new ChannelPattern(other))).toBe(overlap);
    expect(new ChannelPattern(other).overlaps(new ChannelPattern(one))).toBe(overlap);
  });

  it('matches the same names, with the same parameters, as an exhaustive search', () => {
    const between = string({ unit: constantFrom('a', '-', '.'), minLength: 1, maxLength: 2 });
    const patterns = array(constantFrom('{*}', '{}'), { maxLength: 4 }).chain((stars) =>
      array(between, { minLength: stars.length + 1, maxLength: stars.length + 1 }).map((texts) =>
        texts.map((text, i) => text + (stars[i]?.replace('{', `{p${i}`) ?? '')).join(''),
      ),
    );
    const names = string({ unit: constantFrom('a', '-', '.'), maxLength: 12 });
    assert(
      property(patterns, names, (pattern, name) => {
        expect(new ChannelPattern(pattern).match(name)).toEqual(byTrying(pattern, name));
      }),
      { numRuns: 2000 },
    );
  });

  it('matches a long name in bounded time, for any pattern', () => {
    const name = `private-${'a-'.repeat(20_000)}`;
    expect(new ChannelPattern('private-{a}-{b}-{c}-{d}-{e}-{f}.x').match(name)).toBeUndefined();
    expect(new ChannelPattern('private-{a*}-a-{b*}-a-{c*}-a-{d*}.x').match(name)).toBeUndefined();
  });
});

/** The parameters by a regular expression, which tries every way, the longest first: for short names. */
function byTrying(pattern: string, name: string): Record<string, string> | undefined {
  const groups = pattern
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)(\*?)\}/g, (_, param: string, star: string) => `(?<${param}>${star ? '.' : '[^.]'}+)`);
  const match = new RegExp(`^${groups}$`).exec(name);
  return match ? { ...match.groups } : undefined;
}
