import cluster from 'node:cluster';

/**
 * What runs this process as one of several, as pm2 and node:cluster say it; undefined if nothing does.
 *
 * @param isWorker of node:cluster, which pm2's cluster mode uses even for a single process
 */
export function severalBy(environment: NodeJS.ProcessEnv, isWorker: boolean = cluster.isWorker): string | undefined {
  const { pm_id: ofPm2, instances = '', NODE_APP_INSTANCE: number } = environment;
  if (ofPm2 === undefined) return isWorker ? 'node:cluster' : undefined;
  return Number(instances) > 1 || Number(number) > 0 ? 'pm2' : undefined;
}

/** Why events of a process that shares no broker reach only some of their clients, and what to do. */
export const lacksSharedBroker = (by: string, broker: string): string =>
  `${by} runs several processes, and ${broker} is for one: an event reaches only the clients of the process that ` +
  `triggers it. Share a broker (RedisModule, or DATABASE_URL=postgres://… or REDIS_URL of the server), or have ${by} run one process ` +
  '(in the server, WORKERS starts several that share one)';
