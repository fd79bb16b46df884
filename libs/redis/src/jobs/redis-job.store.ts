import { Injectable } from '@nestjs/common';
import {
  buriedAtOnce,
  type ClaimedJob,
  type DeadJob,
  type DeadJobCounts,
  type DeadJobLimits,
  deadPlace,
  type Death,
  type FreshJob,
  type Job,
  type JobBacklog,
  type JobClaim,
  JobStore,
  noTransaction,
  type Within,
} from 'rookery/jobs';
import { integer, json, list, text, UnreadableAnswer } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import type { Script } from '../connection/script.js';
import { anyWith } from '../keys.js';
import * as scripts from './scripts.js';

/**
 * The webhooks of Channels in Redis: when a process dies, another delivers its remaining ones. Webhooks that must
 * survive the loss of Redis belong in a database: use TypeOrmJobStore.
 */
@Injectable()
export class RedisJobStore extends JobStore {
  private readonly keys: readonly string[];

  constructor(private readonly redis: RedisConnection) {
    super();
    this.keys = anyWith(redis.keys.ofNodes('jobs:'));
  }

  async add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }> {
    if (within) throw noTransaction('RedisJobStore', 'a JobStore that is in the database of that transaction');
    const args = jobs.flatMap(({ id, owner, key, dueAt, data, state }) => {
      return [id, owner, key, dueAt, JSON.stringify(data), JSON.stringify(state)];
    });
    await this.redis.insist(scripts.add, this.keys, args);
    return { dropped: 0 };
  }

  async claim({ id: claimId, now, limit, perKey, busy, leaseMs }: JobClaim): Promise<readonly ClaimedJob[]> {
    const args = [claimId, now, limit, perKey, leaseMs, ...busy];
    const found = list(await this.redis.run(scripts.claim, this.keys, args)).map(list);
    const jobs = this.redis.dropped.readable('job', found, jobOf);
    const read = new Set(jobs.map(({ id }) => id));
    // Others would claim it again and again.
    for (const [id] of found) if (typeof id === 'string' && !read.has(id)) await this.forget(id, claimId);
    return jobs.map((job) => ({ ...job, claimId }));
  }

  async renew({ id, claimId }: ClaimedJob, leasedUntil: number): Promise<boolean> {
    return (await this.redis.run(scripts.renew, this.keys, [id, claimId, leasedUntil])) === 1;
  }

  async done({ id, claimId }: ClaimedJob): Promise<void> {
    await this.forget(id, claimId);
  }

  async retry({ id, claimId, state: before }: ClaimedJob, dueAt: number, state = before): Promise<void> {
    await this.redis.insist(scripts.retry, this.keys, [id, claimId, dueAt, JSON.stringify(state)]);
  }

  async bury({ id, claimId }: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void> {
    await this.redis.insist(scripts.bury, this.keys, [...burial(death, limits), id, claimId]);
  }

  async size(): Promise<number> {
    return integer(await this.redis.run(scripts.size, this.keys, []));
  }

  async backlog(now: number): Promise<JobBacklog> {
    const [dueKeys, dueAt] = list(await this.redis.run(scripts.backlog, this.keys, [now]));
    return { dueKeys: integer(dueKeys), ...((dueAt ?? '') !== '' && { oldestDueAt: timeOf(dueAt) }) };
  }

  async buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number> {
    const args = [...burial(death, limits), most, buriedAtOnce];
    return integer(await this.redis.run(scripts.buryBeyond, this.keys, args));
  }

  dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]> {
    return this.readDead(scripts.dead, owner, after, limit);
  }

  latestDead(owner: string, before: string, limit: number): Promise<readonly DeadJob[]> {
    return this.readDead(scripts.latestDead, owner, before, limit);
  }

  async deadCounts(owner: string): Promise<DeadJobCounts> {
    const [kept, dropped] = list(await this.redis.run(scripts.deadCounts, this.keys, [owner]));
    return { kept: integer(kept), dropped: integer(dropped) };
  }

  async resend(owner: string, ids: readonly string[], { dueAt, state }: FreshJob): Promise<number> {
    // Not repeated: a second run would find the jobs gone, and report none.
    return integer(await this.redis.run(scripts.resend, this.keys, [owner, dueAt, JSON.stringify(state), ...ids]));
  }

  private async readDead(script: Script, owner: string, place: string, limit: number): Promise<readonly DeadJob[]> {
    const found = list(await this.redis.run(script, this.keys, [owner, place, limit]));
    return this.redis.dropped.readable('dead job', found, (job) => {
      const [diedAt, reason] = list(job).slice(6);
      return { job: jobOf(job), diedAt: timeOf(diedAt), reason: text(reason) };
    });
  }

  private async forget(id: string, claimId: string): Promise<void> {
    await this.redis.insist(scripts.done, this.keys, [id, claimId]);
  }
}

function jobOf(job: unknown): Job {
  const [id, owner, key, dueAt, data, state] = list(job);
  return {
    id: text(id),
    owner: text(owner),
    key: text(key),
    dueAt: timeOf(dueAt),
    data: json(data),
    state: json(state),
  };
}

/** Epoch milliseconds, as the text of a number. */
function timeOf(value: unknown): number {
  const time = text(value) === '' ? NaN : Number(value);
  if (!Number.isFinite(time)) throw new UnreadableAnswer('a time');
  return time;
}

const burial = ({ diedAt, reason }: Death, { most, maxBytes, keepMs }: DeadJobLimits) => [
  deadPlace(diedAt),
  diedAt,
  reason,
  most,
  deadPlace(diedAt - keepMs),
  Math.ceil(keepMs / 1000),
  maxBytes,
];
