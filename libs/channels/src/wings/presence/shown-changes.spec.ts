import { expect, it } from 'vitest';
import { memberAdded, memberRemoved, subscriptionCount } from '../../protocol/frames.js';
import { shownBy } from './shown-changes.js';

const channel = 'presence-room';
const roster = {
  members: [
    { userId: 'ann', since: 1 },
    { userId: 'ben', userInfoJson: '{"name":"Ben"}', since: 2 },
  ],
  version: 9,
};

const came = (userId: string, userInfoJson?: string) => ({
  event: memberAdded(channel, userId, userInfoJson),
  change: { userId, isPresent: true, version: 14 },
});
const left = (userId: string) => ({
  event: memberRemoved(channel, userId),
  change: { userId, isPresent: false, version: 15 },
});

it('a client sees already that a member came whose departure was dropped, and that one left who never came', () => {
  const isShown = shownBy(roster, channel);
  expect([came('ben', '{"name":"Ben"}'), left('carol'), came('dan')].map(isShown)).toEqual([true, true, false]);
});

it('a client does not see what changed after the roster, or that a member returned as another', () => {
  const isShown = shownBy(roster, channel);
  expect([came('ben', '{"name":"Benjamin"}'), left('ann'), came('ann'), came('ann')].map(isShown)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

it('a client sees no events and counts in a roster', () => {
  const isShown = shownBy(roster, channel);
  const count = { event: subscriptionCount(channel, 2), change: { userId: '', isPresent: true, version: 10 } };
  expect([{ event: '{}', change: undefined }, count].map(isShown)).toEqual([false, false]);
});
