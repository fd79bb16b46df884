import { beforeEach, expect, it, vi } from 'vitest';
import { Unavailable } from '#common';
import type { PresenceService, Roster } from 'rookery/presence';
import type { App } from '../../app/app.js';
import type { ChannelName } from '../../protocol/channel-name.js';
import { PresenceMembership } from './presence-membership.js';

const [app, room] = [{ id: '1' } as App, { name: 'presence-room' } as ChannelName];
const ann = { userId: 'ann', since: 5 };

beforeEach(() => void vi.useFakeTimers());

/** What the member sees who made the room's fifth change, while these rosters are answered, one after the other. */
async function seen(...rosters: readonly Roster[]): Promise<Roster> {
  const left = [...rosters];
  const presence = { roster: () => (left.length > 1 ? left.shift() : left[0]) } as unknown as PresenceService;
  const read = new PresenceMembership(presence, {} as never, {} as never, {} as never).roster(app, room, 5);
  await Promise.all([read.catch(() => undefined), vi.advanceTimersByTimeAsync(60_000)]);
  return read;
}

it('reads a roster again that lacks the member who asks, because a replica lags behind', async () => {
  const roster = { members: [ann], version: 6 };
  expect(await seen({ members: [], version: 3 }, { members: [], version: 4 }, roster)).toBe(roster);
});

it('refuses the member if the replica does not catch up', async () => {
  await expect(seen({ members: [], version: 4 })).rejects.toThrow(Unavailable);
});
