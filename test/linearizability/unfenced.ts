import type { IdempotencyKeys } from 'rookery/channels';
import type { ClaimedJob } from 'rookery/jobs';
import type { Claims } from './workload.js';

/** The claim that has each job or key now: one map for the doubles of all callers. */
export type Holders = Map<string, string>;

/** Jobs without the fence of one method: what a runner does whose lease has ended counts as done by the holder. */
export function unfencedJobs(port: Claims, method: 'renew' | 'retry' | 'done', holders: Holders = new Map()): Claims {
  const as = (called: typeof method, job: ClaimedJob): ClaimedJob =>
    called === method ? { ...job, claimId: holders.get(job.id) ?? job.claimId } : job;
  return {
    add: (jobs) => port.add(jobs),
    async claim(claim) {
      const jobs = await port.claim(claim);
      for (const { id } of jobs) holders.set(id, claim.id);
      return jobs;
    },
    renew: (job, leasedUntil) => port.renew(as('renew', job), leasedUntil),
    retry: (job, dueAt) => port.retry(as('retry', job), dueAt),
    done: (job) => port.done(as('done', job)),
  };
}

/** The same for idempotency keys: an earlier claim answers or frees a key that another one has. */
export function unfencedKeys(
  port: IdempotencyKeys,
  method: 'answer' | 'release',
  holders: Holders = new Map(),
): IdempotencyKeys {
  const as = <Request extends { readonly key: string; readonly claimId: string }>(
    called: typeof method,
    request: Request,
  ): Request => (called === method ? { ...request, claimId: holders.get(request.key) ?? request.claimId } : request);
  return {
    async claim(request) {
      const answer = await port.claim(request);
      if (answer.state === 'claimed') holders.set(request.key, request.claimId);
      return answer;
    },
    answer: (request, text) => port.answer(as('answer', request), text),
    release: (request) => port.release(as('release', request)),
  };
}
