import type { ChannelRepository, IdempotencyKeys, KeyedRequest, Occupancy } from 'rookery/channels';
import type { ClaimedJob, JobStore } from 'rookery/jobs';
import type { Holder, Member, PresenceRepository, Room } from 'rookery/presence';
import { Random } from '../support/random.js';
import { inexplicable, type Model } from './checker.js';
import { byKey, History, type Operation } from './history.js';
import {
  idempotencyKey,
  job,
  type JobAnswer,
  type JobCall,
  type KeyAnswer,
  type KeyCall,
  occupancy,
  type OccupyCall,
  presence,
  type PresenceAnswer,
  type PresenceCall,
} from './models.js';

/** What callers at once do to one port, and whether its promises explain the answers. */
export interface Workload {
  /** How many callers, each with calls one after the other. */
  readonly callers: number;
  readonly calls: number;
  readonly seed: number;
  /** Whether the port repeats an update of a member whose answer is lost, so that it may happen twice. */
  readonly repeatsUpdates: boolean;
}

const usual: Workload = { callers: 5, calls: 120, seed: 7, repeatsUpdates: false };
/** Calls of a key that may have happened or not multiply what must be tried. */
const keys = ['a', 'b', 'c', 'd'];

/** Has each caller make its calls, each when the one before it has its answer or has none. */
async function byCallers(
  { callers, calls, seed }: Workload,
  call: (caller: number, random: Random, n: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const random = new Random(seed + caller);
      for (let n = 0; n < calls; n++) await call(caller, random, n);
    }),
  );
}

/** Throws with the calls that the model cannot explain. */
function expectExplained<Input, Output, State>(
  model: Model<Input, Output, State>,
  operations: readonly Operation<Input, Output>[],
  keyOf: (input: Input) => string,
): void {
  for (const [key, ofKey] of byKey(operations, keyOf)) {
    const open = inexplicable(model, ofKey);
    if (open)
      throw new Error(
        `No order explains the calls of ${key}, at ${open.map((each) => JSON.stringify(each)).join('\\n')}`,
      );
  }
}

/** What a port was asked: how many calls there were, and how many without an answer. */
export interface Asked {
  readonly calls: number;
  readonly unanswered: number;
}

const askedIn = (operations: readonly Operation<unknown, unknown>[]): Asked => ({
  calls: operations.length,
  unanswered: operations.filter(({ answeredAt }) => answeredAt === Infinity).length,
});

/** Any number of callers may be given each their own connection to the store. */
type PortOf<Port> = (caller: number) => Port;

export async function checkIdempotencyKeys(
  portOf: PortOf<IdempotencyKeys>,
  workload: Partial<Workload> = {},
): Promise<Asked> {
  const history = new History<KeyCall, KeyAnswer>();
  const { callers } = { ...usual, ...workload };
  /** What each caller has still to do with its claims. After a release it may do more, when another claim has the key. */
  const due = Array.from({ length: callers }, (): KeyCall[] => []);
  await byCallers({ ...usual, ...workload }, async (caller, random, n) => {
    const port = portOf(caller);
    const later = due[caller]!;
    const next = random.below(2) === 0 ? later.shift() : undefined;
    if (next)
      await history.record(next, async () => {
        await (next.method === 'answer' ? port.answer(requestOf(next), next.claimId) : port.release(requestOf(next)));
        return 'done' as const;
      });
    const input: KeyCall = {
      method: 'claim',
      key: `${random.of(keys)}${n >> 3}`,
      print: random.below(9) ? 'a' : 'b',
      claimId: `${caller}-${n}`,
    };
    const claimed = await history.record(input, () => port.claim(requestOf(input)));
    if (claimed === 'done' || claimed?.state !== 'claimed') return;
    if (random.below(2)) later.push({ ...input, method: 'answer' });
    else later.push({ ...input, method: 'release' }, { ...input, method: random.of(['answer', 'release']) });
  });
  expectExplained(idempotencyKey, history.operations, ({ key }) => key);
  return askedIn(history.operations);
}

const requestOf = ({ key, print, claimId }: KeyCall): KeyedRequest => {
  return { appId: 'app', key, print: print.repeat(64), claimId };
};

export async function checkOccupancy(
  portOf: PortOf<ChannelRepository>,
  workload: Partial<Workload> = {},
): Promise<Asked> {
  const history = new History<OccupyCall, Occupancy>();
  const held = new Map<string, number>();
  await byCallers({ ...usual, ...workload }, async (caller, random) => {
    const nodeId = `node-${caller}`;
    const channel = random.of(keys);
    const known = held.get(`${nodeId} ${channel}`) ?? 0;
    // Mostly none, so that channels often become occupied and vacated.
    const connections = known > 0 && random.below(3) ? 0 : known + 1;
    held.set(`${nodeId} ${channel}`, connections);
    const input = { channel, nodeId, connections };
    await history.recordAll(
      [
        { ...input, of: 'change' },
        { ...input, of: 'number' },
      ],
      async () => {
        const answer = await repeated(() => portOf(caller).occupy('app', channel, nodeId, connections));
        return { answer, outputs: [answer, answer] };
      },
    );
  });
  expectExplained(occupancy, history.operations, ({ channel }) => channel);
  return askedIn(history.operations);
}

/** How many users a room has room for: so few that some do not fit. */
const roomLimit = 3;
const userOf = (random: Random): string => `user-${random.below(4)}`;

export async function checkPresence(
  portOf: PortOf<PresenceRepository>,
  workload: Partial<Workload> = {},
): Promise<Asked> {
  const history = new History<PresenceCall, PresenceAnswer>();
  const joinedAs = new Map<number, { readonly name: string; readonly holder: Holder; readonly member: Member }>();
  await byCallers({ ...usual, ...workload }, async (caller, random, n) => {
    const port = portOf(caller);
    const joined = joinedAs.get(caller);
    const name = joined?.name ?? random.of(keys);
    const room: Room = { scope: 'app', name };
    const does = random.weighted({ roster: 4, update: 3, 'join or leave': 9 });
    if (does === 'roster') {
      await history.record({ method: 'roster', room: name }, () => port.roster(room));
      return;
    }
    // Often of a user who leaves at the same time, or is not there.
    if (does === 'update') {
      const [userId, info] = [userOf(random), JSON.stringify(`update ${caller}.${n}`)];
      const update = { method: 'update', room: name, userId, info } as const;
      const happens = workload.repeatsUpdates ? [{ ...update, mayBe: true } as const, update] : [update];
      await history.recordAll(happens, async () => {
        const answer = { updated: (await port.update(room, { userId, userInfoJson: info })) ?? undefined };
        return { answer, outputs: happens.map(() => answer) };
      });
      return;
    }
    const { holder, member } = joined ?? {
      holder: { nodeId: `node-${caller}`, connectionId: `${caller}.${n}` },
      member: { userId: userOf(random), userInfoJson: JSON.stringify(`join ${caller}.${n}`) },
    };
    const input = { room: name, connectionId: holder.connectionId, userId: member.userId };
    if (joined) {
      joinedAs.delete(caller);
      await history.record({ ...input, method: 'leave' }, async () => ({
        left: (await repeated(() => port.leave(room, holder))) ?? undefined,
      }));
    } else {
      joinedAs.set(caller, { name, holder, member });
      await history.record({ ...input, method: 'join', info: member.userInfoJson! }, () =>
        repeated(() => port.join(room, holder, member, roomLimit)),
      );
    }
  });
  expectExplained(presence(roomLimit), history.operations, ({ room }) => room);
  return askedIn(history.operations);
}

const leaseMs = 40;
const jobIds = Array.from({ length: 30 }, (_, n) => `job-${n}`);

interface Held {
  readonly job: ClaimedJob;
  /** By the callers' clock. */
  readonly until: number;
}

/** What runners do with jobs. */
export type Claims = Pick<JobStore, 'add' | 'claim' | 'renew' | 'retry' | 'done'>;

export async function checkClaims(portOf: PortOf<Claims>, workload: Partial<Workload> = {}): Promise<Asked> {
  const history = new History<JobCall, JobAnswer>();
  const { callers } = { ...usual, ...workload };
  const jobs = jobIds.map((id) => ({ id, owner: 'app', key: id, dueAt: 0, data: id, state: null }));
  await repeated(() => portOf(0).add(jobs));
  /** The callers' clock: a claim expires after so many calls of all. */
  let now = 1;
  /** What each caller goes on with later: often when its lease has ended, like a runner that was paused. */
  const held = Array.from({ length: callers }, (): Held[] => []);
  // Each call of all is one for each job, so there are fewer.
  await byCallers({ ...usual, calls: 24, ...workload }, async (caller, random, n) => {
    const port = portOf(caller);
    const act = async (method: 'renew' | 'retry' | 'done', each: ClaimedJob) => {
      const input = { method, job: each.id, claimId: each.claimId, now: (now += 1) };
      await history.record(input, async (): Promise<JobAnswer> => {
        if (method === 'renew') return port.renew(each, input.now + leaseMs);
        await (method === 'retry' ? port.retry(each, 0) : port.done(each));
        return 'done';
      });
      if (method === 'renew') keep(each);
    };
    const keep = (each: ClaimedJob) => held[caller]!.push({ job: each, until: now + random.below(2 * leaseMs) });
    const due = held[caller]!.filter(({ until }) => until <= now);
    held[caller] = held[caller]!.filter((each) => !due.includes(each));
    for (const each of due) await act(random.weighted({ renew: 6, retry: 3, done: 2 }), each.job);
    const id = `${caller}-${n}`;
    const claimedAt = (now += 1);
    const claim = { id, now: claimedAt, limit: 3, perKey: 3, busy: new Set<string>(), leaseMs };
    const claimed = await history.recordAll(
      jobIds.map((each): JobCall => ({ method: 'claim', job: each, claimId: id, now: claimedAt })),
      async () => {
        const found = await port.claim(claim);
        return { answer: found, outputs: jobIds.map((each) => found.some((one) => one.id === each)) };
      },
    );
    // Some are abandoned, as by a process that is killed: the claim ends with the lease.
    for (const each of claimed ?? [])
      switch (random.weighted({ keep: 5, retry: 3, abandon: 2 })) {
        case 'keep':
          keep(each);
          break;
        case 'retry':
          await act('retry', each);
      }
  });
  expectExplained(job(leaseMs), history.operations, (input) => input.job);
  return askedIn(history.operations);
}

/** A call that may be repeated, until it has its answer: what happens to it is one call. */
async function repeated<Answer>(call: () => Answer | Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++)
    try {
      return await call();
    } catch (error) {
      if (tries === 20) throw error;
    }
}
