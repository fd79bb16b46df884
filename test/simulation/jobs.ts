import { type Job, type JobClaim, JobStore, type MemoryJobStore } from 'rookery/jobs';
import { remotePort } from '../../apps/server/src/workers/remote-port.js';
import { linkService } from '../../apps/server/src/workers/rpc-link.js';

/** The claim of a runner in another process: a set cannot be sent. */
type SentClaim = Omit<JobClaim, 'busy'> & { readonly busy: readonly string[] };

type ServedJobs = Omit<JobStore, 'claim' | 'watch' | 'close'> & {
  claim(claim: SentClaim): ReturnType<JobStore['claim']>;
};

export const jobsService = linkService<ServedJobs>('jobs');
export const jobWatchers = linkService<{ wake(): void }>('job watchers');

/** The queue of webhooks that the nodes share, as a database would keep it. */
export const RemoteJobStore = remotePort(JobStore, jobsService, {
  add: 'call',
  claim: (link) => (claim) => link.call(jobsService, 'claim', { ...claim, busy: [...claim.busy] }),
  renew: 'call',
  done: 'call',
  retry: 'call',
  bury: 'call',
  dead: 'call',
  latestDead: 'call',
  deadCounts: 'call',
  resend: 'call',
  size: 'call',
  backlog: 'call',
  buryBeyond: 'call',
  nextDueAt: 'call',
  watch: (link) => (wake) => {
    link.serve(jobWatchers, { wake });
    return async () => link.serve(jobWatchers, { wake: () => {} });
  },
  // It is not the node's own.
  close: () => async () => undefined,
});

/** Serves the queue over a link. @param stored called with the jobs that are added */
export const servedJobs = (jobs: MemoryJobStore, stored: (jobs: readonly Job[]) => void): ServedJobs => ({
  add: (added) => {
    stored(added);
    return jobs.add(added);
  },
  claim: (claim) => jobs.claim({ ...claim, busy: new Set(claim.busy) }),
  renew: jobs.renew.bind(jobs),
  done: jobs.done.bind(jobs),
  retry: jobs.retry.bind(jobs),
  bury: jobs.bury.bind(jobs),
  dead: jobs.dead.bind(jobs),
  latestDead: jobs.latestDead.bind(jobs),
  deadCounts: jobs.deadCounts.bind(jobs),
  resend: jobs.resend.bind(jobs),
  size: jobs.size.bind(jobs),
  backlog: jobs.backlog.bind(jobs),
  buryBeyond: jobs.buryBeyond.bind(jobs),
  nextDueAt: jobs.nextDueAt.bind(jobs),
});
