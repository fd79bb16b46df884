import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardedLookup, refusePrivate, type ResolveAll } from './guarded-lookup.js';
import { UnsafeUrl } from './safe-fetch-errors.js';

const outside = { address: '203.0.113.7', family: 4 };
const inside = { address: '10.0.0.7', family: 4 };
const outsideToo = { address: '2001:db8::7', family: 6 };

const refusal = (hostname: string): UnsafeUrl => new UnsafeUrl('private-address', hostname);
const isOutside = (_: string, address: string): boolean => !address.startsWith('10.');

/** Resolves every name to these addresses, or fails. */
const resolving =
  (found: LookupAddress[] | Error): ResolveAll =>
  (_, __, callback) =>
    found instanceof Error ? callback(found, []) : callback(null, found);

/** What a socket is answered. */
function answerOf(lookup: LookupFunction, options: LookupOptions): Promise<unknown[]> {
  return new Promise((resolve) => lookup('hooks.example', options, (...answer: unknown[]) => resolve(answer)));
}

describe('a name with permitted addresses and others', () => {
  const orders = [
    [outside, inside, outsideToo],
    [inside, outside, outsideToo],
    [outside, outsideToo, inside],
  ];

  it.each(orders)('leads a socket that takes all only to the permitted: %j, %j, %j', async (...found) => {
    const lookup = guardedLookup(isOutside, refusal, resolving(found));
    expect(await answerOf(lookup, { all: true })).toEqual([null, [outside, outsideToo]]);
  });

  it.each(orders)('leads a socket that takes one only to a permitted: %j, %j, %j', async (...found) => {
    const lookup = guardedLookup(isOutside, refusal, resolving(found));
    expect(await answerOf(lookup, {})).toEqual([null, outside.address, outside.family]);
  });
});

it('leads to none where no address is permitted for this host', async () => {
  const asked: string[][] = [];
  const lookup = guardedLookup((...each) => asked.push(each) < 0, refusal, resolving([outside, inside]));
  expect(await answerOf(lookup, { all: true })).toEqual([refusal('hooks.example'), []]);
  expect(asked).toEqual([
    ['hooks.example', outside.address],
    ['hooks.example', inside.address],
  ]);
});

it.each([[[outside]], [[inside]], [new Error('getaddrinfo ENOTFOUND')]])(
  'answers a socket only after it has asked, though the name is known at once: %j',
  async (found) => {
    const lookup = guardedLookup(isOutside, refusal, resolving(found));
    let isAsked = false;
    await new Promise<void>((resolve) => {
      lookup('hooks.example', {}, () => {
        expect(isAsked).toBe(true);
        resolve();
      });
      isAsked = true;
    });
  },
);

it('passes on why a name has no address', async () => {
  const failure = new Error('getaddrinfo ENOTFOUND');
  expect(await answerOf(guardedLookup(isOutside, refusal, resolving(failure)), {})).toEqual([failure, []]);
});

it.each([
  [
    { family: 'IPv6', hints: 32 },
    { family: 6, hints: 32, all: true },
  ],
  [{ family: 'IPv4' }, { family: 4, all: true }],
  [{ family: 4 }, { family: 4, all: true }],
  [{}, { all: true }],
] as const)('resolves with what the socket asked for: %j', async (options, resolved) => {
  const resolve = vi.fn(resolving([outside]));
  await answerOf(guardedLookup(isOutside, refusal, resolve), options);
  expect(resolve.mock.lastCall).toEqual(['hooks.example', resolved, expect.any(Function)]);
});

describe('before a proxy is asked to connect', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('a name is refused that is known to be private', async () => {
    const lookup = guardedLookup(isOutside, refusal, resolving([inside]));
    await expect(refusePrivate('hooks.example', lookup)).rejects.toEqual(refusal('hooks.example'));
  });

  it('a name that is public, or not known here, is left to it', async () => {
    for (const found of [[outside], new Error('getaddrinfo ENOTFOUND')]) {
      const lookup = guardedLookup(isOutside, refusal, resolving(found));
      expect(await refusePrivate('hooks.example', lookup)).toBeUndefined();
    }
  });

  it('a name is left to it after two seconds without an answer', async () => {
    let isLeft = false;
    const left = refusePrivate('hooks.example', () => {}).then(() => (isLeft = true));
    await vi.advanceTimersByTimeAsync(1999);
    expect(isLeft).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await left;
  });

  it.each(['10.0.0.7', '[::1]'])('an address is looked up nowhere: %s', async (address) => {
    const lookup = vi.fn();
    await refusePrivate(address, lookup);
    await refusePrivate('hooks.example', undefined);
    expect(lookup).not.toHaveBeenCalled();
  });
});
