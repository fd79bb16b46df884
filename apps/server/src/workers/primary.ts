import cluster from 'node:cluster';
import { rpcOverIpc } from './ipc-link.js';
import { workerServices } from './link-services.js';
import { primaryVariable } from './primary-variable.js';
import type { RpcLink } from './rpc-link.js';

/** The link to the process that started this one as a worker; undefined if it is not a worker. */
export function primaryOf(environment: NodeJS.ProcessEnv): RpcLink | undefined {
  if (!cluster.isWorker || environment[primaryVariable] !== String(process.ppid)) return undefined;
  const link = rpcOverIpc(process);
  link.serve(workerServices.pulse, { beat: () => {} });
  return link;
}
