import { Injectable } from '@nestjs/common';
import { noTransaction, type Within } from 'rookery/jobs';
import { dueAtOf, type Publish } from '../publish.js';
import type { OutcomePage, OutcomeQuery } from './device-outcome.js';
import { type Lane, laneName, type Retry } from './lane.js';
import { MemoryOutcomes } from './memory-outcomes.js';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  type HandedOver,
  type LaneChange,
  type OnceKey,
  PublishOutbox,
  type PublishPlace,
  type PublishRecord,
  type Saved,
  type WaitingRetries,
} from './publish.outbox.js';

/** A claimable unit: a publish, or a range of it. */
interface Claimable {
  owner?: string;
  /** When it may be claimed next; while it is held, the end of its lease. */
  dueAt: number;
}

interface Entry extends Claimable {
  readonly publish: Publish;
  readonly lanes: Map<string, Lane>;
  readonly retries: Map<string, Map<string, Retry>>;
  /** The ranges that are handed over and not done. */
  readonly ranges: Map<string, Claimable>;
  isWanted?: boolean;
  cancelledAt?: number;
  finishedAt?: number;
}

/** What an owner holds: the publish, or a range of it. */
interface Held {
  readonly entry: Entry;
  readonly part: Claimable;
  readonly range?: string;
}

/** In memory: for one process; unsent publishes are lost on restart. */
@Injectable()
export class MemoryPublishOutbox extends PublishOutbox {
  private readonly entries = new Map<string, Entry>();
  /** The unfinished publishes. */
  private readonly open = new Set<Entry>();
  private readonly deviceOutcomes = new MemoryOutcomes();
  private readonly keys = new Map<string, OnceKey & { readonly publishId: string }>();

  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    if (within) throw noTransaction('PublishModule', 'PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox })');
    const known = once && this.known(publish, once);
    if (known) return known;
    if (once) this.keys.set(keyOf(publish, once), { ...once, publishId: publish.id });
    const entry = { publish, lanes: new Map(), retries: new Map(), ranges: new Map(), dueAt: dueAtOf(publish) };
    this.entries.set(publish.id, entry);
    this.open.add(entry);
    return { outcome: 'added', publishId: publish.id };
  }

  private known(publish: Publish, once: OnceKey): Added | undefined {
    const first = this.keys.get(keyOf(publish, once));
    if (!first || first.expiresAt <= publish.createdAt) return undefined;
    return { outcome: first.fingerprint === once.fingerprint ? 'repeated' : 'conflict', publishId: first.publishId };
  }

  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    except: readonly string[] = [],
  ): Promise<ClaimedPublish | undefined> {
    let next: Held | undefined;
    for (const entry of this.open) {
      if (except.includes(entry.publish.id)) continue;
      const isNext = ({ dueAt }: Claimable) => dueAt <= now && !(next && next.part.dueAt <= dueAt);
      if (isNext(entry)) next = { entry, part: entry };
      for (const [range, part] of entry.ranges) if (isNext(part)) next = { entry, part, range };
    }
    if (!next) return undefined;
    next.part.owner = owner;
    next.part.dueAt = now + leaseMs;
    return claimOf(next.entry, lanesOf(next.entry, next.range));
  }

  async renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean> {
    const held = this.heldBy(owner, publishId)?.part;
    if (held) held.dueAt = leasedUntil;
    return held !== undefined;
  }

  async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const held = this.heldBy(owner, publishId);
    if (!held || held.range !== lane.from) return 'lost';
    const { entry } = held;
    entry.lanes.set(laneName(lane), lane);
    const waiting = entry.retries.get(laneName(lane)) ?? new Map<string, Retry>();
    for (const deviceId of change?.settled ?? []) waiting.delete(deviceId);
    for (const retry of change?.again ?? []) waiting.set(retry.deviceId, retry);
    entry.retries.set(laneName(lane), waiting);
    if (change?.outcomes) this.deviceOutcomes.add(publishId, change.outcomes);
    if (change?.handedOver) this.handOver(entry, change.handedOver);
    if (entry.cancelledAt !== undefined) return 'cancelled';
    return entry.isWanted ? 'wanted' : 'saved';
  }

  private handOver(entry: Entry, { lane, dueAt }: HandedOver): void {
    entry.lanes.set(laneName(lane), lane);
    entry.ranges.set(laneName(lane), { dueAt });
    entry.isWanted = false;
  }

  async ask(now: number, leaseMs: number): Promise<void> {
    const isHeld = ({ owner, dueAt }: Claimable) => owner !== undefined && dueAt > now && dueAt <= now + leaseMs;
    for (const entry of this.open) if ([entry, ...entry.ranges.values()].some(isHeld)) entry.isWanted = true;
  }

  async leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined> {
    const held = this.heldBy(owner, publishId);
    if (!held) return undefined;
    const { entry, part, range } = held;
    if (range !== undefined) entry.ranges.delete(range);
    part.owner = undefined;
    part.dueAt = Infinity;
    if (entry.ranges.size > 0 || entry.dueAt !== Infinity) return undefined;
    entry.owner = owner;
    entry.dueAt = leasedUntil;
    return [...entry.lanes.values()];
  }

  async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return 'unknown';
    if (entry.cancelledAt !== undefined) return 'cancelled';
    if (entry.finishedAt !== undefined) return 'finished';
    entry.cancelledAt = now;
    for (const part of [entry, ...entry.ranges.values()])
      if (part.owner === undefined && part.dueAt < Infinity) part.dueAt = now;
    return 'cancelled';
  }

  async retries(publishId: string, lane: string, now: number, limit: number): Promise<readonly Retry[]> {
    const waiting = [...(this.entries.get(publishId)?.retries.get(lane)?.values() ?? [])];
    return waiting
      .filter(({ dueAt }) => dueAt <= now)
      .sort((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    return [...(this.entries.get(publishId)?.retries ?? [])]
      .filter(([, retries]) => retries.size > 0)
      .map(([lane, retries]) => ({
        lane,
        count: retries.size,
        dueAt: [...retries.values()].reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity),
      }));
  }

  async release(owner: string, publishId: string, dueAt: number): Promise<void> {
    const held = this.heldBy(owner, publishId);
    if (!held) return;
    held.part.owner = undefined;
    held.part.dueAt = held.entry.cancelledAt ?? dueAt;
  }

  async finish(owner: string, publishId: string, now: number): Promise<boolean> {
    const entry = this.entries.get(publishId);
    if (!entry || entry.owner !== owner || entry.finishedAt !== undefined) return false;
    entry.owner = undefined;
    entry.finishedAt = now;
    this.open.delete(entry);
    entry.retries.clear();
    return true;
  }

  async backlog(now: number): Promise<Backlog> {
    const due = [...this.open]
      .map(({ dueAt, ranges }) => [...ranges.values()].reduce((first, range) => Math.min(first, range.dueAt), dueAt))
      .filter((dueAt) => dueAt <= now);
    if (due.length === 0) return { publishes: 0 };
    return { publishes: due.length, oldestDueAt: due.reduce((first, dueAt) => Math.min(first, dueAt)) };
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return undefined;
    const { finishedAt } = entry;
    return { ...claimOf(entry, [...entry.lanes.values()]), ...(finishedAt === undefined ? {} : { finishedAt }) };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    return this.entries.get(publishId)?.publish.instanceId === instanceId;
  }

  async latest(instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]> {
    return Array.from(this.entries.values(), ({ publish }) => publish)
      .filter((publish) => publish.instanceId === instanceId && (!after || isNewer(after, publish)))
      .toSorted((left, right) => (isNewer(left, right) ? -1 : 1))
      .slice(0, limit);
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    return [...this.entries.values()]
      .filter(({ finishedAt }) => finishedAt !== undefined && finishedAt < time)
      .slice(0, limit)
      .map(({ publish }) => publish.id);
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds) {
      const entry = this.entries.get(id);
      if (entry) this.open.delete(entry);
      this.entries.delete(id);
      this.deviceOutcomes.forget(id);
    }
  }

  async outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage> {
    return this.deviceOutcomes.page(publishId, query);
  }

  async forgetOutcomes(before: number): Promise<number> {
    return this.deviceOutcomes.forgetBefore(before);
  }

  async forgetKeys(now: number): Promise<void> {
    for (const [key, { expiresAt }] of this.keys) if (expiresAt <= now) this.keys.delete(key);
  }

  private heldBy(owner: string, publishId: string): Held | undefined {
    const entry = this.entries.get(publishId);
    if (!entry || entry.finishedAt !== undefined) return undefined;
    if (entry.owner === owner) return { entry, part: entry };
    for (const [range, part] of entry.ranges) if (part.owner === owner) return { entry, part, range };
    return undefined;
  }
}

function lanesOf({ lanes }: Entry, range: string | undefined): readonly Lane[] {
  return [...lanes.values()].filter(({ from }) => from === range);
}

const claimOf = ({ publish, cancelledAt }: Entry, lanes: readonly Lane[]): ClaimedPublish => ({
  publish,
  lanes,
  ...(cancelledAt === undefined ? {} : { cancelledAt }),
});

const keyOf = (publish: Publish, { key }: OnceKey): string => JSON.stringify([publish.instanceId, key]);

const isNewer = (one: PublishPlace, other: PublishPlace): boolean =>
  one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt;
