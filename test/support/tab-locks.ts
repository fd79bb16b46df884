import type { TabLocks } from '../../libs/sdk/src/client/tabs/platform.mjs';

interface Waiting {
  readonly mode: string;
  readonly grant: () => Promise<unknown>;
}

/** Web Locks for the tabs that a test has in its own process; Node has them only from 24 on. */
export class LocksInProcess implements TabLocks {
  private readonly queues = new Map<string, Waiting[]>();
  /** By name, what ends the lock as the end of its tab does. */
  private readonly held = new Map<string, () => void>();

  request(...[name, options, callback]: Parameters<TabLocks['request']>): Promise<unknown> {
    const { mode = 'exclusive', signal } = options;
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(name) ?? [];
      const grant = async (): Promise<unknown> => {
        const crashed = new Promise<void>((crash) => this.held.set(name, crash));
        return Promise.race([crashed, callback()]).then(resolve, reject);
      };
      const waiting = { mode, grant };
      this.queues.set(name, [...queue, waiting]);
      signal?.addEventListener('abort', () => {
        const all = this.queues.get(name) ?? [];
        if (!all.includes(waiting)) return;
        this.queues.set(
          name,
          all.filter((each) => each !== waiting),
        );
        reject(new DOMException('The request was aborted', 'AbortError'));
      });
      this.next(name);
    });
  }

  /** The tab that holds the lock crashes. */
  crash(name: string): void {
    this.held.get(name)?.();
  }

  /** The names of the locks that are held. */
  get names(): string[] {
    return [...this.held.keys()];
  }

  private next(name: string): void {
    const [first, ...others] = this.queues.get(name) ?? [];
    if (!first || this.held.has(name)) return;
    this.queues.set(name, others);
    this.held.set(name, () => undefined);
    void Promise.resolve()
      .then(first.grant)
      .finally(() => {
        this.held.delete(name);
        this.next(name);
      });
  }
}
