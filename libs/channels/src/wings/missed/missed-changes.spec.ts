import { expect, it } from 'vitest';
import type { Member, PresenceService, RosterMember } from 'rookery/presence';
import type { Apps } from '../../access/apps.js';
import type { Topic } from '../../broker/broker.js';
import type { Subscription } from '../../connections/connection.js';
import { KnownMembers } from '../../frames/known-members.js';
import type { Hub } from '../../hub/hub.js';
import type { LocalOccupancy } from '../occupancy/local-occupancy.js';
import type { LostTopics } from './lost-topics.js';
import { MissedChanges } from './missed-changes.js';

const topic: Topic = { appId: '1', channel: 'presence-room' };
const ann = (info: string): Member => ({ userId: 'ann', userInfoJson: info });

/**
 * What a connection holds of its member, after messages were lost: it is what its process restores if shared state is.
 * @param memberVersion of what it held before
 * @param roster of shared state then, at version 7
 */
async function heldAfter(memberVersion: number, roster: readonly RosterMember[]): Promise<Partial<Subscription>> {
  const subscriptions = new Map([[topic.channel, { member: ann('"new"'), memberVersion } as Subscription]]);
  const members = new KnownMembers(topic.channel);
  const hub = { on: () => [{ subscriptions }, {}], changesOf: () => ({ members }), deliverHere: () => undefined };
  await new MissedChanges(
    hub as unknown as Hub,
    { take: () => [topic] } as unknown as LostTopics,
    { roster: async () => ({ members: roster, version: 7 }) } as unknown as PresenceService,
    {} as Apps,
    {} as LocalOccupancy,
  ).announce();
  return subscriptions.get(topic.channel)!;
}

it('a connection does not hold an update of its member that shared state has lost', async () => {
  expect(await heldAfter(6, [{ ...ann('"old"'), since: 2 }])).toEqual({ member: ann('"old"'), memberVersion: 7 });
});

it.each<[string, number, readonly RosterMember[]]>([
  ['that came after the roster', 8, [{ ...ann('"old"'), since: 2 }]],
  ['of a member who is to be put back', 6, [{ userId: 'ben', since: 3 }]],
])('a connection keeps an update %s', async (_, version, roster) => {
  expect(await heldAfter(version, roster)).toEqual({ member: ann('"new"'), memberVersion: version });
});
