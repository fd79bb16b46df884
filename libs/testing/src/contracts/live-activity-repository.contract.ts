import assert from 'node:assert/strict';
import type { BroadcastChannel, BroadcastChannelName, LiveActivityRepository } from 'rookery/publish';
import { contract } from './contract.js';
import { same } from './assertions.js';

const name: BroadcastChannelName = {
  instanceId: 'instance',
  environment: 'api.push.apple.com',
  interest: 'match-1',
  bundleIdentifier: 'com.example.app',
};
const others: readonly BroadcastChannelName[] = [
  { ...name, instanceId: 'other' },
  { ...name, environment: 'api.sandbox.push.apple.com' },
  { ...name, interest: 'match-2' },
  { ...name, bundleIdentifier: 'com.example.other' },
];
const channel = (of: BroadcastChannelName, channelId: string, storesLatest = true): BroadcastChannel => ({
  ...of,
  channelId,
  storesLatest,
});
const at = (now: number, by: string) => ({ by, now, until: now + 100 });

async function create(repository: LiveActivityRepository, made: BroadcastChannel): Promise<void> {
  assert.equal(await repository.reserve(made, at(0, made.channelId)), 'reserved');
  assert.equal(await repository.keep(made, made.channelId), true);
}

const channelsOf = async (repository: LiveActivityRepository, ...interests: string[]) =>
  (await repository.channels(name.instanceId, name.environment, interests)).toSorted((one, other) =>
    one.channelId < other.channelId ? -1 : 1,
  );

/** The contract of every LiveActivityRepository. */
export const describeLiveActivityRepository = contract<LiveActivityRepository>('LiveActivityRepository', [
  {
    promise: 'keeps a channel for each instance, environment, interest and app',
    async test(repository) {
      same(await channelsOf(repository, 'match-1'), []);
      await create(repository, channel(name, 'a'));
      for (const [index, other] of others.entries()) await create(repository, channel(other, `b${index}`, false));
      same(await channelsOf(repository, 'match-1'), [channel(name, 'a'), channel(others[3]!, 'b3', false)]);
      same(await channelsOf(repository, 'match-2', 'match-1', 'unknown'), [
        channel(name, 'a'),
        channel(others[2]!, 'b2', false),
        channel(others[3]!, 'b3', false),
      ]);
      same(await repository.reserve(name, at(0, 'later')), channel(name, 'a'));
    },
  },
  {
    promise: 'lets exactly one of concurrent callers create a channel',
    async test(repository) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => repository.reserve(name, at(0, `caller ${index}`))),
      );
      assert.equal(answers.filter((answer) => answer === 'reserved').length, 1);
      assert.equal(answers.filter((answer) => answer === 'busy').length, 19);
      same(await channelsOf(repository, 'match-1'), []);
      const by = `caller ${answers.indexOf('reserved')}`;
      assert.equal(await repository.keep(channel(name, 'a'), by), true);
      same(await repository.reserve(name, at(1, 'late')), channel(name, 'a'));
    },
  },
  {
    promise: 'gives a reservation to another caller once it is released or has ended',
    async test(repository) {
      assert.equal(await repository.reserve(name, at(0, 'one')), 'reserved');
      await repository.release(name, 'two');
      assert.equal(await repository.reserve(name, at(99, 'two')), 'busy');
      await repository.release(name, 'one');
      assert.equal(await repository.reserve(name, at(99, 'two')), 'reserved');
      assert.equal(await repository.reserve(name, at(199, 'three')), 'reserved');
      assert.equal(await repository.keep(channel(name, 'late'), 'two'), false);
      same(await channelsOf(repository, 'match-1'), []);
      assert.equal(await repository.keep(channel(name, 'a'), 'three'), true);
      assert.equal(await repository.keep(channel(name, 'again'), 'three'), false);
      await repository.release(name, 'three');
      same(await channelsOf(repository, 'match-1'), [channel(name, 'a')]);
    },
  },
  {
    promise: 'removes a channel only while it has this id',
    async test(repository) {
      await create(repository, channel(name, 'a'));
      assert.equal(await repository.removeChannel(name, 'other'), false);
      assert.equal(await repository.removeChannel(others[2]!, 'a'), false);
      same(await channelsOf(repository, 'match-1'), [channel(name, 'a')]);
      assert.equal(await repository.removeChannel(name, 'a'), true);
      assert.equal(await repository.removeChannel(name, 'a'), false);
      await create(repository, channel(name, 'b'));
      same(await channelsOf(repository, 'match-1'), [channel(name, 'b')]);
    },
  },
  {
    promise: 'keeps the latest start token of each device',
    async test(repository) {
      await repository.setStartToken('instance', 'apns-1', 'old');
      await repository.setStartToken('instance', 'apns-1', 'aa');
      await repository.setStartToken('instance', 'apns-2', 'bb');
      await repository.setStartToken('other', 'apns-1', 'cc');
      const tokens = await repository.startTokens('instance', ['apns-2', 'apns-1', 'apns-3']);
      same(Object.fromEntries(tokens), { 'apns-1': 'aa', 'apns-2': 'bb' });
      same(Object.fromEntries(await repository.startTokens('other', ['apns-1'])), { 'apns-1': 'cc' });
      same(Object.fromEntries(await repository.startTokens('other', [])), {});
    },
  },
  {
    promise: 'removes start tokens, or only a given one',
    async test(repository) {
      const ids = ['apns-1', 'apns-2'];
      for (const id of ids) await repository.setStartToken('instance', id, `token of ${id}`);
      await repository.setStartToken('other', 'apns-1', 'cc');
      await repository.removeStartTokens('instance', ids, 'token of apns-1');
      same(Object.fromEntries(await repository.startTokens('instance', ids)), { 'apns-2': 'token of apns-2' });
      await repository.removeStartTokens('instance', ['apns-unknown', ...ids]);
      same(Object.fromEntries(await repository.startTokens('instance', ids)), {});
      same(Object.fromEntries(await repository.startTokens('other', ids)), { 'apns-1': 'cc' });
    },
  },
]);
