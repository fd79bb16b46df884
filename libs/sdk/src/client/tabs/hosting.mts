import type { HostStart } from './messages.mjs';
import { hostLock, tabLocks, type TabLocks, type TabWorker } from './platform.mjs';
import type { PusherClass } from './pusher-client.mjs';
import { TabHost } from './tab-host.mjs';
import { isAborted } from './tab-link.mjs';

/** Connects once there is no other host of the group, and stays until the tab or worker ends. */
async function host(Pusher: PusherClass, start: () => HostStart, locks: TabLocks, signal?: AbortSignal): Promise<void> {
  const forever = async (): Promise<never> => {
    const connected = new TabHost(Pusher, start(), locks);
    return new Promise(() => connected);
  };
  await locks.request(hostLock(start().group), signal ? { signal } : {}, forever);
}

/** Has this tab connect for all when those opened before it have closed. */
export const lead = (Pusher: PusherClass, start: () => HostStart, locks: TabLocks, signal: AbortSignal): void =>
  void host(Pusher, start, locks, signal).catch(isAborted);

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
  while (!signal.aborted) {
    const worker = create();
    worker.addEventListener('error', failed);
    worker.port.postMessage(start());
    // A browser may connect the tab to a worker that is about to end.
    const isGreeted = await Promise.race([greeted().then(() => true), delay(greetingMs)]);
    if (isGreeted) await locks.request(hostLock(start().group), { mode: 'shared', signal }, () => {}).catch(isAborted);
  }
}

/** How long a worker may take to start, before it is tried again. */
const greetingMs = 5000;
const delay = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(resolve, ms, false));

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
      void host(Pusher, () => start, locks);
    });
    port.start();
  });
}
