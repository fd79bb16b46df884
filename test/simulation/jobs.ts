import { type Job, type JobClaim, JobStore, type MemoryJobStore } from 'rookery/jobs';
import { remotePort } from '../../apps/server/src/workers/remote-port.js';

/** The claim of a runner in another process: a set cannot be sent. */
type SentClaim = Omit<JobClaim, 'busy'> & { readonly busy: readonly string[] };

/** The queue of webhooks that the nodes share, as a database would keep it. */
export const RemoteJobStore = remotePort(JobStore, 'jobs', {
  add: 'call',
  claim: (link) => (claim) =>
    link.call('jobs', 'claim', [{ ...claim, busy: [...claim.busy] } satisfies SentClaim]) as ReturnType<
      JobStore['claim']
    >,
  renew: 'call',
  done: 'call',
  retry: 'call',
  bury: 'call',
  dead: 'call',
  latestDead: 'call',
  deadSize: 'call',
  resend: 'call',
  size: 'call',
  backlog: 'call',
  buryBeyond: 'call',
  nextDueAt: 'call',
  watch: (link) => (wake) => {
    link.serve('job watchers', { wake });
    return async () => link.serve('job watchers', { wake: () => {} });
  },
  // It is not the node's own.
  close: () => async () => undefined,
});

/** Serves the queue over a link. @param stored called with the jobs that are added */
export const servedJobs = (jobs: MemoryJobStore, stored: (jobs: readonly Job[]) => void): object => ({
  add: (added: readonly Job[]) => {
    stored(added);
    return jobs.add(added);
  },
  claim: (claim: SentClaim) => jobs.claim({ ...claim, busy: new Set(claim.busy) }),
  renew: jobs.renew.bind(jobs),
  done: jobs.done.bind(jobs),
  retry: jobs.retry.bind(jobs),
  bury: jobs.bury.bind(jobs),
  size: jobs.size.bind(jobs),
  backlog: jobs.backlog.bind(jobs),
  buryBeyond: jobs.buryBeyond.bind(jobs),
  nextDueAt: jobs.nextDueAt.bind(jobs),
});
