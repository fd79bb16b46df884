import { Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import type { Clients } from './clients.js';
import { obstacleTo } from './obstacle.js';

/** How long a first connection may take before the reason is looked for, and how often it is looked for again. */
const lookEveryMs = 2000;

/** The options of {@link firstConnection}. */
export interface FirstConnection {
  /** Whether to wait where waiting can help, instead of throwing. */
  readonly isPatient: boolean;
  /** Why Redis refuses the connection for good. */
  refusal(): Error | undefined;
  /** Throws if this Redis cannot be used. */
  check(): Promise<void>;
}

/**
 * Settles when the client is connected for the first time and Redis has passed the check. What it waits for is logged
 * once.
 * @throws Error that says what stands in the way, unless waiting can help
 */
export async function firstConnection(
  client: Redis | Cluster,
  clients: Clients,
  { isPatient, refusal, check }: FirstConnection,
): Promise<void> {
  const logger = new Logger('Redis');
  const logged = new Set<string>();
  const isSingle = clients.place.kind === 'standalone';
  let latest: Error | undefined;
  client.on('error', (error: Error) => void (latest = error));
  // The promise of a cluster that is down never settles, even if it is ready later: the event tells.
  const failure = client.connect().then(
    () => undefined,
    (error: Error) => error,
  );
  const first = await Promise.race([failure, readyWithin(client, lookEveryMs)]);
  // By then, the error of `connect` only says that the connection is closed.
  if (first instanceof Error && isSingle) throw latest ?? first;
  for (;;) {
    const refused = refusal();
    if (refused) throw refused;
    if (client.status === 'ready') {
      const fault = await faultOf(check);
      if (fault === undefined) return;
      // Otherwise the connection broke meanwhile, for example in a failover.
      if (client.status === 'ready' || isSingle) throw fault;
    }
    const obstacle = await obstacleTo(clients);
    if (obstacle && !(obstacle.mayPass && isPatient)) throw new Error(obstacle.text);
    const text = obstacle?.text ?? latest?.message ?? 'it is not ready';
    if (await readyWithin(client, obstacle ? 0 : lookEveryMs)) continue;
    if (!logged.has(text)) logger.warn(`The start waits for ${clients.shownUrl}: ${text}`);
    logged.add(text);
    await readyWithin(client, lookEveryMs);
  }
}

async function faultOf(check: () => Promise<void>): Promise<Error | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error as Error; // All of it throws errors.
  }
}

/** Whether the client becomes ready within so many milliseconds. */
function readyWithin(client: Redis | Cluster, ms: number): Promise<boolean> {
  if (client.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isReady: boolean): void => {
      clearTimeout(timer);
      client.off('ready', ready);
      resolve(isReady);
    };
    const ready = (): void => settle(true);
    const timer = setTimeout(() => settle(false), ms);
    client.once('ready', ready);
  });
}
