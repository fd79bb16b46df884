import type { HostStart } from './messages.mjs';
import { hostLock, isInTime, tabLocks, type TabLocks, type TabWorker } from './platform.mjs';
import type { PusherClass } from './pusher-client.mjs';
import { TabHost } from './tab-host.mjs';
import { isAborted } from './tab-link.mjs';

type LockOptions = Parameters<TabLocks['request']>[1];

/** Connects once it gets the lock of the group, and stays until the tab or worker ends, or another tab takes the lock. */
async function host(Pusher: PusherClass, start: () => HostStart, locks: TabLocks, options: LockOptions): Promise<void> {
  let connected: TabHost | undefined;
  const forever = async (): Promise<never> => {
    connected = new TabHost(Pusher, start(), locks);
    return new Promise(() => {});
  };
  await locks.request(hostLock(start().group), options, forever).catch(isAborted);
  connected?.end();
}

/** Has this tab connect for all when those opened before it have closed. */
export async function lead(Pusher: PusherClass, start: () => HostStart, locks: TabLocks, signal: AbortSignal) {
  while (!signal.aborted) await host(Pusher, start, locks, { signal });
}

/** Has this tab connect for all now: a browser has frozen the one that leads. */
export const takeOver = (Pusher: PusherClass, start: () => HostStart, locks: TabLocks): Promise<void> =>
  host(Pusher, start, locks, { steal: true });

/**
 * Starts the worker, and again whenever it has ended: browsers end a worker with the process of one of its tabs.
 * @param greeted resolves when the next host greets this tab
 * @param failed called if the script cannot be loaded
 */
export async function keepWorker(
  create: () => TabWorker,
  start: () => HostStart,
  locks: TabLocks,
  { signal, greeted, failed }: { signal: AbortSignal; greeted: () => Promise<void>; failed: () => void },
): Promise<void> {
  const missing = new AbortController();
  const fail = (): void => {
    if (!missing.signal.aborted) failed();
    missing.abort();
  };
  while (!signal.aborted && !missing.signal.aborted) {
    const worker = create();
    worker.addEventListener('error', fail);
    worker.port.postMessage(start());
    // A browser may connect the tab to a worker that is about to end.
    if (await isInTime(greeted(), 5000))
      await locks.request(hostLock(start().group), { mode: 'shared', signal }, () => {}).catch(isAborted);
  }
}

interface TabPort {
  addEventListener(event: 'message', listener: (event: { readonly data: HostStart }) => void): void;
  start(): void;
}

interface WorkerScope {
  addEventListener(event: 'connect', listener: (event: { readonly ports: readonly [TabPort] }) => void): void;
}

/**
 * Makes a SharedWorker connect for its tabs. All of its script:
 * `import Pusher from 'pusher-js/worker'; serveTabs(Pusher);`
 */
export function serveTabs(Pusher: PusherClass): void {
  const groups = new Set<string>();
  const scope = globalThis as unknown as WorkerScope; // The scope of a SharedWorker.
  scope.addEventListener('connect', ({ ports: [port] }) => {
    port.addEventListener('message', ({ data: start }) => {
      const locks = tabLocks();
      if (!locks || groups.has(start.group)) return;
      groups.add(start.group);
      void host(Pusher, () => start, locks, {});
    });
    port.start();
  });
}
