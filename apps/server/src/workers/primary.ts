import cluster from 'node:cluster';
import { rpcOverIpc } from './ipc-link.js';
import { primaryVariable } from './primary-variable.js';
import type { Remote, RpcLink } from './rpc-link.js';
import type { Worker, WorkerPulse } from './worker.js';

/** The process that started this worker. */
export interface Primary {
  readonly link: RpcLink;
  readonly worker: Remote<Pick<Worker, 'listens' | 'fails'>>;
}

/** The process that started this one as a worker; undefined if it is not a worker. */
export function primaryOf(environment: NodeJS.ProcessEnv): Primary | undefined {
  if (!cluster.isWorker || environment[primaryVariable] !== String(process.ppid)) return undefined;
  const link = rpcOverIpc(process);
  const pulse: WorkerPulse = { beat: () => {} };
  link.serve('pulse', pulse);
  return { link, worker: link.remote('worker') };
}
