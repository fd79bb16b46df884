import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { IdempotencyKeys, KeyedRequest } from 'rookery/channels';
import { contract } from './contract.js';
import { same } from './assertions.js';

let claims = 0;
/** A request with a new claim, at each call. */
const request = (part: Partial<KeyedRequest> = {}): KeyedRequest => ({
  appId: 'app',
  key: 'key',
  print: 'a'.repeat(64),
  claimId: `claim-${(claims += 1)}`,
  ...part,
});

/** Waits until a key can be claimed. */
async function freed(keys: IdempotencyKeys, key: string): Promise<void> {
  const until = performance.now() + 2000;
  while ((await keys.claim(request({ key }))).state !== 'claimed') {
    assert.ok(performance.now() < until, `${key} is not freed`);
    await pause(20);
  }
}

/** The contract of every IdempotencyKeys. */
export const describeIdempotencyKeys = contract<IdempotencyKeys>('IdempotencyKeys', [
  {
    promise: 'gives a key to one caller, and tells the others that it is in progress, later its answer',
    async test(keys) {
      const first = request();
      same(await keys.claim(first), { state: 'claimed' });
      same(await keys.claim(request()), { state: 'under way' });
      // Repeated, as after a lost answer.
      same(await keys.claim(first), { state: 'claimed' });
      const answer = '{"channels":{"ä ☃ \\n":{"subscription_count":1}}}';
      await keys.answer(first, answer);
      same(await keys.claim(request()), { state: 'answered', answer });
      same(await keys.claim(request()), { state: 'answered', answer });
    },
  },
  {
    promise: 'recognizes a different request with the same key, before and after the answer',
    async test(keys) {
      const first = request();
      await keys.claim(first);
      same(await keys.claim(request({ print: 'b'.repeat(64) })), { state: 'different' });
      await keys.answer(first, '{}');
      same(await keys.claim(request({ print: 'b'.repeat(64) })), { state: 'different' });
    },
  },
  {
    promise: 'gives a released key to the next caller, even for a different request',
    async test(keys) {
      const first = request();
      await keys.claim(first);
      await keys.release(first);
      same(await keys.claim(request({ print: 'b'.repeat(64) })), { state: 'claimed' });
    },
  },
  {
    promise: 'changes nothing for a claim that has expired',
    async test(keys) {
      const [late, holder] = [request(), request()];
      await keys.claim(late);
      await keys.release(late);
      await keys.claim(holder);
      await keys.answer(late, '"late"');
      await keys.release(late);
      same(await keys.claim(request()), { state: 'under way' });
      await keys.answer(holder, '{}');
      await keys.release(late);
      await keys.answer(late, '"late"');
      same(await keys.claim(request()), { state: 'answered', answer: '{}' });
    },
  },
  {
    promise: 'keeps the answer of an expired claim if the key is free',
    async test(keys) {
      const first = request();
      await keys.claim(first);
      await keys.release(first);
      await keys.answer(first, '{}');
      same(await keys.claim(request()), { state: 'answered', answer: '{}' });
    },
  },
  {
    promise: 'holds a claim, and remembers an answer, for as long as the request says',
    async test(keys) {
      const [claimed, answered] = ['claimed', 'answered'].map((key) => request({ key, keepMs: 100 }));
      await keys.claim(claimed!);
      await keys.claim(answered!);
      await keys.answer(answered!, '{}');
      for (const { key } of [claimed!, answered!]) await freed(keys, key);
    },
  },
  {
    promise: 'isolates keys by app and name',
    async test(keys) {
      for (const [appId, key] of [
        ['app', 'key'],
        ['app', 'key 2'],
        ['app key', '2'],
        ['other', 'key'],
      ] as const)
        same(await keys.claim(request({ appId, key })), { state: 'claimed' });
    },
  },
  {
    promise: 'gives a key to only one of many concurrent callers',
    async test(keys) {
      const found = await Promise.all(Array.from({ length: 20 }, async () => keys.claim(request())));
      assert.equal(found.filter(({ state }) => state === 'claimed').length, 1);
    },
  },
]);
