import { beforeEach, expect, it, vi } from 'vitest';
import type { Roster } from 'rookery/presence';
import type { App } from '../../app/app.js';
import type { NodeRpc } from '../../broker/node-rpc.js';
import { ChannelsSettings } from '../../channels.options.js';
import { PresenceMembership } from '../presence/presence-membership.js';
import { MembersService } from './members.service.js';

const app = { id: '1' } as App;

beforeEach(() => void vi.useFakeTimers());

/** How often an update of the room's fifth version is sent while one process does not answer and these rosters are read. */
async function sentWhile(...rosters: readonly (Roster | Error)[]): Promise<number> {
  const left = [...rosters];
  const roster = () => {
    const read = left.length > 1 ? left.shift()! : left[0]!;
    return read instanceof Error ? Promise.reject(read) : Promise.resolve(read);
  };
  const presence = { roster, update: () => Promise.resolve(5) };
  const order = { run: (_: string, call: () => unknown) => call() };
  const membership = new PresenceMembership(presence as never, order as never, {} as never, {} as never);
  const askAll = vi.fn<NodeRpc['askAll']>(() => Promise.resolve({ answers: [], missing: 1 }));
  const limit = { take: () => Promise.resolve() };
  const settings = new ChannelsSettings();
  const needs = [{}, membership, {}, limit, { askAll }, {}, settings] as unknown;
  const members = new MembersService(...(needs as ConstructorParameters<typeof MembersService>));
  await members.updateExactly(app, 'presence-room', 'ann', '2');
  await vi.advanceTimersByTimeAsync(60_000);
  return askAll.mock.calls.length;
}

const shown = { members: [{ userId: 'ann', userInfoJson: '2', since: 5 }], version: 5 };
const earlier = { members: [{ userId: 'ann', userInfoJson: '1', since: 4 }], version: 4 };
const later = { members: [{ userId: 'ann', userInfoJson: '3', since: 6 }], version: 6 };

it('sends an update ten times to a process that does not answer, while the member has this info', async () => {
  expect(await sentWhile(shown)).toBe(10);
});

it('stops once the member has another info', async () => {
  expect(await sentWhile(later)).toBe(1);
  expect(await sentWhile(shown, later)).toBe(2);
});

it('goes on while the roster cannot be read, or is older than the update', async () => {
  expect(await sentWhile(new Error('away'), earlier, later)).toBe(3);
});

// After a repository has lost its data, its rosters are empty until the processes restore their members.
it('goes on while the member is absent', async () => {
  expect(await sentWhile({ members: [], version: 6 })).toBe(10);
});
