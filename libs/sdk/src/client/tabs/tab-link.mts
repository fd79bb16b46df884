import type { HostMessage, TabMessage } from './messages.mjs';
import { openBus, tabLock, type TabBus, type TabLocks } from './platform.mjs';

/** A tab's place in its group, from `connect` to `disconnect`. */
export class TabLink {
  readonly tab = crypto.randomUUID();
  private readonly bus: TabBus<TabMessage, HostMessage>;
  private readonly end = new AbortController();

  /** @param joined called once the others can see whether this tab is open */
  constructor(
    readonly group: string,
    locks: TabLocks,
    hear: (message: HostMessage) => void,
    joined: () => void,
  ) {
    this.bus = openBus(group);
    this.bus.addEventListener('message', ({ data }) => hear(data));
    const { signal } = this.end;
    const held = (): Promise<void> => {
      joined();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    locks.request(tabLock(group, this.tab), { signal }, held).catch(isAborted);
  }

  /** Aborted when the tab leaves. */
  get signal(): AbortSignal {
    return this.end.signal;
  }

  send(message: TabMessage): void {
    this.bus.postMessage(message);
  }

  close(): void {
    this.end.abort();
    this.bus.close();
  }
}

/** The tab has left before it got a lock. */
export function isAborted(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
