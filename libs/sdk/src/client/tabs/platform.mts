/** The part of the Web Locks API in use. */
export interface TabLocks {
  request(
    name: string,
    options: { readonly mode?: 'exclusive' | 'shared'; readonly signal?: AbortSignal; readonly steal?: boolean },
    callback: () => unknown,
  ): Promise<unknown>;
}

/** The part of a SharedWorker in use. */
export interface TabWorker {
  readonly port: { postMessage(message: unknown): void };
  addEventListener(event: 'error', listener: () => void): void;
}

/** The part of a BroadcastChannel in use. */
export interface TabBus<Sent, Heard> {
  postMessage(message: Sent): void;
  addEventListener(type: 'message', listener: (event: { readonly data: Heard }) => void): void;
  close(): void;
}

export const openBus = <Sent, Heard>(group: string): TabBus<Sent, Heard> =>
  new BroadcastChannel(group) as unknown as TabBus<Sent, Heard>; // Only hosts and tabs of the group write to it.

/** False on a server that renders pages, which may have locks, too. */
export const isPage = (): boolean => 'document' in globalThis;

/** Browsers offer locks to secure contexts only: HTTPS and localhost. */
export const tabLocks = (): TabLocks | undefined =>
  (globalThis as { readonly navigator?: { readonly locks?: TabLocks } }).navigator?.locks;

/** Names of locks. The host of a group holds the first, each of its tabs one of the others, for as long as they live. */
export const hostLock = (group: string): string => group;
export const tabLock = (group: string, tab: string): string => `${group}:${tab}`;

/** Whether something happens before the time is over. */
export const isInTime = (happens: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([
    happens.then(() => true),
    new Promise<boolean>((resolve) => {
      setTimeout(resolve, ms, false);
    }),
  ]);
