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

/** A call of PresenceRepository for one room. A connection joins once and leaves once. */
export type PresenceCall =
  | { readonly method: 'join' | 'leave'; readonly room: string; readonly connectionId: string; readonly userId: string }
  | { readonly method: 'roster'; readonly room: string };
export type PresenceAnswer = Joined | { readonly left: Left | undefined } | Roster;
interface Present {
  /** The connections of each user, in the order in which the users came. */
  readonly users: readonly (readonly [userId: string, connectionIds: readonly string[]])[];
  readonly version: number;
}

/** @param limit how many users a room has room for */
export const presence = (limit: number): Model<PresenceCall, PresenceAnswer, Present> => ({
  initial: { users: [], version: 0 },
  step(room, call, output) {
    if (call.method === 'roster') return isShownBy(room, output as Roster | undefined) ? [room] : [];
    const known = room.users.find(([userId]) => userId === call.userId);
    return call.method === 'join'
      ? joined(room, known?.[1], call, output as Joined | undefined, limit)
      : left(room, known?.[1], call, output as { readonly left: Left | undefined } | undefined);
  },
});

interface OfConnection {
  readonly connectionId: string;
  readonly userId: string;
}

function joined(
  room: Present,
  known: readonly string[] | undefined,
  call: OfConnection,
  output: Joined | undefined,
  limit: number,
) {
  const { connectionId, userId } = call;
  if (!known && room.users.length >= limit) return output === undefined || output.outcome === 'full' ? [room] : [];
  if (output?.outcome === 'full') return [];
  const next = known
    ? room.users.map(([id, ids]) => [id, id === userId ? [...ids, connectionId].toSorted() : ids] as const)
    : [...room.users, [userId, [connectionId]] as const];
  return advanced(room, next, output && { isChange: output.isFirst, version: output.version }, !known);
}

function left(
  room: Present,
  known: readonly string[] | undefined,
  call: OfConnection,
  output: { readonly left: Left | undefined } | undefined,
) {
  const { connectionId, userId } = call;
  if (!known?.includes(connectionId)) return output?.left ? [] : [room];
  if (output && output.left?.userId !== userId) return [];
  const rest = known.filter((id) => id !== connectionId);
  const next = room.users.flatMap(([id, ids]) => {
    if (id !== userId) return [[id, ids] as const];
    return rest.length > 0 ? [[id, rest] as const] : [];
  });
  return advanced(
    room,
    next,
    output?.left && { isChange: output.left.wasLast, version: output.left.version },
    rest.length === 0,
  );
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
  const ids = roster.members.map(({ userId }) => userId);
  return roster.version >= version && JSON.stringify(ids) === JSON.stringify(users.map(([userId]) => userId));
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
