import type { KeyState, Occupancy } from 'rookery/channels';
import type { Joined, Left, Roster } from 'rookery/presence';
import type { Model } from './checker.js';

/** A call of IdempotencyKeys for one key. */
export interface KeyCall {
  readonly method: 'claim' | 'answer' | 'release';
  readonly key: string;
  readonly print: string;
  readonly claimId: string;
}
/** What `answer` and `release` answer is nothing. */
export type KeyAnswer = KeyState | 'done';
type Key = { readonly claimId: string; readonly print: string; readonly answer?: string } | null;

/** The answer of a request is its claim's id. */
export const idempotencyKey: Model<KeyCall, KeyAnswer, Key> = {
  initial: null,
  step(known, { method, print, claimId }, output) {
    if (method !== 'claim') {
      if (known && known.claimId !== claimId) return [known];
      return [method === 'release' ? null : { claimId, print, answer: claimId }];
    }
    const [expected, next] = claimed(known, print, claimId);
    return output === undefined || JSON.stringify(output) === JSON.stringify(expected) ? [next] : [];
  },
};

function claimed(known: Key, print: string, claimId: string): readonly [KeyState, Key] {
  if (!known) return [{ state: 'claimed' }, { claimId, print }];
  if (known.print !== print) return [{ state: 'different' }, known];
  if (known.answer !== undefined) return [{ state: 'answered', answer: known.answer }, known];
  return [{ state: known.claimId === claimId ? 'claimed' : 'under way' }, known];
}

/**
 * A call of `occupy` for one channel, with another number than the process's last one. An implementation may repeat it
 * when an answer is lost, and is then answered its first change and the number as it is by then: two moments of a call.
 */
export interface OccupyCall {
  readonly channel: string;
  readonly nodeId: string;
  readonly connections: number;
  readonly of: 'change' | 'number';
}
interface Channel {
  readonly nodes: Readonly<Record<string, number>>;
  /** The latest version that was answered. */
  readonly version: number;
}

export const occupancy: Model<OccupyCall, Occupancy, Channel> = {
  initial: { nodes: {}, version: 0 },
  step(channel, { nodeId, connections, of }, output) {
    const { nodes, version } = channel;
    const before = sum(nodes);
    if (of === 'number') {
      // The change comes before the number.
      const isRight = output && (nodes[nodeId] ?? 0) === connections && output.count === before;
      return isRight && output.version >= version ? [{ nodes, version: output.version }] : [];
    }
    // In one order, so that equal states are recognized.
    const next = Object.fromEntries(
      Object.entries({ ...nodes, [nodeId]: connections })
        .filter(([, count]) => count > 0)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    const after = sum(next);
    const change = before === 0 && after > 0 ? 'occupied' : before > 0 && after === 0 ? 'vacated' : undefined;
    return !output || output.change?.to === change ? [{ nodes: next, version }] : [];
  },
};

const sum = (nodes: Readonly<Record<string, number>>): number =>
  Object.values(nodes).reduce((all, each) => all + each, 0);

/** A call of PresenceRepository for one room. A connection joins once and leaves once; each info is given once. */
export type PresenceCall = { readonly room: string } & (
  | { readonly method: 'join'; readonly connectionId: string; readonly userId: string; readonly info: string }
  | { readonly method: 'leave'; readonly connectionId: string; readonly userId: string }
  /** `mayBe`: it happens only if the port has repeated it. */
  | { readonly method: 'update'; readonly userId: string; readonly info: string; readonly mayBe?: true }
  | { readonly method: 'roster' }
);
type CallOf<Method> = Extract<PresenceCall, { readonly method: Method }>;
type LeaveAnswer = { readonly left: Left | undefined };
type UpdateAnswer = { readonly updated: number | undefined };
export type PresenceAnswer = Joined | LeaveAnswer | UpdateAnswer | Roster;
/** A user's connections, and the info that rosters show. */
type PresentUser = readonly [userId: string, connectionIds: readonly string[], info: string];
interface Present {
  /** In the order in which they came. */
  readonly users: readonly PresentUser[];
  readonly version: number;
}

/** @param limit how many users a room has room for */
export const presence = (limit: number): Model<PresenceCall, PresenceAnswer, Present> => ({
  initial: { users: [], version: 0 },
  step(room, call, output) {
    switch (call.method) {
      case 'roster':
        return isShownBy(room, output as Roster | undefined) ? [room] : [];
      case 'join':
        return joined(room, call, output as Joined | undefined, limit);
      case 'leave':
        return left(room, call, output as LeaveAnswer | undefined);
    }
    if (call.mayBe) return [room, ...updated(room, call, undefined)];
    return updated(room, call, output as UpdateAnswer | undefined);
  },
});

const find = ({ users }: Present, userId: string): PresentUser | undefined => users.find(([id]) => id === userId);

/** The users with another entry, or none, for one of them. */
const withUser = ({ users }: Present, userId: string, entry: PresentUser | undefined): Present['users'] =>
  users.flatMap((user) => (user[0] !== userId ? [user] : entry ? [entry] : []));

function joined(
  room: Present,
  { connectionId, userId, info }: CallOf<'join'>,
  output: Joined | undefined,
  limit: number,
): Present[] {
  const known = find(room, userId);
  if (!known && room.users.length >= limit) return output === undefined || output.outcome === 'full' ? [room] : [];
  if (output?.outcome === 'full') return [];
  const next = known
    ? withUser(room, userId, [userId, [...known[1], connectionId].toSorted(), known[2]])
    : [...room.users, [userId, [connectionId], info] as const];
  return advanced(room, next, output && { isChange: output.isFirst, version: output.version }, !known);
}

function left(room: Present, { connectionId, userId }: CallOf<'leave'>, output: LeaveAnswer | undefined): Present[] {
  const known = find(room, userId);
  if (!known?.[1].includes(connectionId)) return output?.left ? [] : [room];
  if (output && output.left?.userId !== userId) return [];
  const rest = known[1].filter((id) => id !== connectionId);
  const next = withUser(room, userId, rest.length > 0 ? [userId, rest, known[2]] : undefined);
  const told = output?.left && { isChange: output.left.wasLast, version: output.left.version };
  return advanced(room, next, told, rest.length === 0);
}

function updated(room: Present, { userId, info }: CallOf<'update'>, output: UpdateAnswer | undefined): Present[] {
  const known = find(room, userId);
  if (!known) return output?.updated === undefined ? [room] : [];
  if (output && output.updated === undefined) return [];
  const next = withUser(room, userId, [userId, known[1], info]);
  return advanced(room, next, output && { isChange: true, version: output.updated! }, true);
}

/** Each change of presence has a new version. */
function advanced(
  { version }: Present,
  users: Present['users'],
  told: { readonly isChange: boolean; readonly version: number } | undefined,
  isChange: boolean,
): Present[] {
  if (!told) return [{ users, version }];
  if (told.isChange !== isChange) return [];
  if (!isChange) return [{ users, version }];
  return told.version > version ? [{ users, version: told.version }] : [];
}

function isShownBy({ users, version }: Present, roster: Roster | undefined): boolean {
  if (!roster) return true;
  const shown = roster.members.map(({ userId, userInfoJson }) => [userId, userInfoJson]);
  return (
    roster.version >= version &&
    JSON.stringify(shown) === JSON.stringify(users.map(([userId, , info]) => [userId, info]))
  );
}

/** A call of JobStore, as one job sees it. */
export interface JobCall {
  readonly method: 'claim' | 'renew' | 'retry' | 'done';
  readonly job: string;
  readonly claimId: string;
  /** The time that the caller gives. */
  readonly now: number;
}
/** Whether `claim` returned the job, or `renew` still holds it; nothing of the others. */
export type JobAnswer = boolean | 'done';
type JobState = { readonly claimId?: string; readonly until?: number } | 'gone';

/** A job that was added and is due. @param leaseMs of claims and renewals */
export const job = (leaseMs: number): Model<JobCall, JobAnswer, JobState> => ({
  initial: {},
  step(state, { method, claimId, now }, output) {
    const isHeld = state !== 'gone' && state.claimId === claimId;
    const held = { claimId, until: now + leaseMs };
    switch (method) {
      case 'claim': {
        const isFree = state !== 'gone' && (state.until === undefined || state.until <= now || isHeld);
        if (output === true) return isFree ? [held] : [];
        // It may return fewer jobs than there are. By its clock the leases of all have ended that end before, for others
        // whose clocks are behind, too.
        const ended: JobState[] = state !== 'gone' && state.until !== undefined && state.until <= now ? [{}] : [];
        return output === false ? [state, ...ended] : [...(isFree ? [held] : []), ...ended];
      }
      case 'renew':
        return output === undefined || output === isHeld ? [isHeld ? held : state] : [];
      case 'retry':
        return [isHeld ? {} : state];
    }
    return [isHeld ? 'gone' : state];
  },
});
