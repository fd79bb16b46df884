import { Injectable } from '@nestjs/common';
import type { Platform } from 'rookery/push-device';
import { dueAtOf, type Publish } from '../publish.js';
import type { OutcomePage, OutcomeQuery } from './device-outcome.js';
import type { Lane, Retry } from './lane.js';
import { MemoryOutcomes } from './memory-outcomes.js';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  type LaneChange,
  type OnceKey,
  PublishOutbox,
  type PublishRecord,
  type Saved,
  type WaitingRetries,
} from './publish.outbox.js';

interface Entry {
  readonly publish: Publish;
  readonly lanes: Map<Platform, Lane>;
  readonly retries: Map<Platform, Map<string, Retry>>;
  owner?: string;
  /** When it may be claimed next; while it is held, when its lease ends. */
  dueAt: number;
  cancelledAt?: number;
  finishedAt?: number;
}

/** In memory: for one process; what is not sent yet is lost on restart. */
@Injectable()
export class MemoryPublishOutbox extends PublishOutbox {
  private readonly entries = new Map<string, Entry>();
  /** Those that have not finished. */
  private readonly open = new Set<Entry>();
  private readonly deviceOutcomes = new MemoryOutcomes();
  private readonly keys = new Map<string, OnceKey & { readonly publishId: string }>();

  async add(publish: Publish, once?: OnceKey): Promise<Added> {
    const known = once && this.known(publish, once);
    if (known) return known;
    if (once) this.keys.set(keyOf(publish, once), { ...once, publishId: publish.id });
    const entry = { publish, lanes: new Map(), retries: new Map(), dueAt: dueAtOf(publish) };
    this.entries.set(publish.id, entry);
    this.open.add(entry);
    return { outcome: 'added', publishId: publish.id };
  }

  private known(publish: Publish, once: OnceKey): Added | undefined {
    const first = this.keys.get(keyOf(publish, once));
    if (!first || first.expiresAt <= publish.createdAt) return undefined;
    return { outcome: first.fingerprint === once.fingerprint ? 'repeated' : 'conflict', publishId: first.publishId };
  }

  async claim(owner: string, now: number, leaseMs: number): Promise<ClaimedPublish | undefined> {
    let next: Entry | undefined;
    for (const entry of this.open) if (entry.dueAt <= now && !(next && next.dueAt <= entry.dueAt)) next = entry;
    if (!next) return undefined;
    next.owner = owner;
    next.dueAt = now + leaseMs;
    return claimOf(next);
  }

  async renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean> {
    const entry = this.heldBy(owner, publishId);
    if (entry) entry.dueAt = leasedUntil;
    return entry !== undefined;
  }

  async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const entry = this.heldBy(owner, publishId);
    if (!entry) return 'lost';
    entry.lanes.set(lane.platform, lane);
    const waiting = entry.retries.get(lane.platform) ?? new Map<string, Retry>();
    for (const deviceId of change?.settled ?? []) waiting.delete(deviceId);
    for (const retry of change?.again ?? []) waiting.set(retry.deviceId, retry);
    entry.retries.set(lane.platform, waiting);
    if (change?.outcomes) this.deviceOutcomes.add(publishId, change.outcomes);
    return entry.cancelledAt === undefined ? 'saved' : 'cancelled';
  }

  async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return 'unknown';
    if (entry.cancelledAt !== undefined) return 'cancelled';
    if (entry.finishedAt !== undefined) return 'finished';
    entry.cancelledAt = now;
    if (entry.owner === undefined) entry.dueAt = now;
    return 'cancelled';
  }

  async retries(publishId: string, platform: Platform, now: number, limit: number): Promise<readonly Retry[]> {
    const waiting = [...(this.entries.get(publishId)?.retries.get(platform)?.values() ?? [])];
    return waiting
      .filter(({ dueAt }) => dueAt <= now)
      .sort((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    return [...(this.entries.get(publishId)?.retries ?? [])]
      .filter(([, retries]) => retries.size > 0)
      .map(([platform, retries]) => ({
        platform,
        count: retries.size,
        dueAt: [...retries.values()].reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity),
      }));
  }

  async release(owner: string, publishId: string, dueAt: number): Promise<void> {
    const entry = this.heldBy(owner, publishId);
    if (!entry) return;
    entry.owner = undefined;
    entry.dueAt = entry.cancelledAt ?? dueAt;
  }

  async finish(owner: string, publishId: string, now: number): Promise<boolean> {
    const entry = this.heldBy(owner, publishId);
    if (!entry) return false;
    entry.owner = undefined;
    entry.finishedAt = now;
    this.open.delete(entry);
    entry.retries.clear();
    return true;
  }

  async backlog(now: number): Promise<Backlog> {
    const due = [...this.open].map(({ dueAt }) => dueAt).filter((dueAt) => dueAt <= now);
    if (due.length === 0) return { publishes: 0 };
    return { publishes: due.length, oldestDueAt: due.reduce((first, dueAt) => Math.min(first, dueAt)) };
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return undefined;
    const { finishedAt } = entry;
    return { ...claimOf(entry), ...(finishedAt === undefined ? {} : { finishedAt }) };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    return this.entries.get(publishId)?.publish.instanceId === instanceId;
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

  private heldBy(owner: string, publishId: string): Entry | undefined {
    const entry = this.entries.get(publishId);
    return entry?.owner === owner && entry.finishedAt === undefined ? entry : undefined;
  }
}

const claimOf = ({ publish, lanes, cancelledAt }: Entry): ClaimedPublish => ({
  publish,
  lanes: [...lanes.values()],
  ...(cancelledAt === undefined ? {} : { cancelledAt }),
});

const keyOf = (publish: Publish, { key }: OnceKey): string => JSON.stringify([publish.instanceId, key]);
