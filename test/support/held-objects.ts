import { queryObjects } from 'node:v8';
import { vi } from 'vitest';

/** Whatever is kept for a while only is gone after it, in milliseconds. */
const longestMs = 900_000;
const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;

/** A look takes long, and hardly any time of the led clock. */
const maxLooks = 60;

/** How many objects of any kind this process holds, after a collection; and what keeps it running, such as sockets. */
function held(): ReadonlyMap<string, number> {
  const counts = new Map([['timers', vi.getTimerCount()]]);
  for (const resource of process.getActiveResourcesInfo()) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  return counts.set('objects', queryObjects(Object, { format: 'count' }));
}

/** From now on timers can be led ahead; meanwhile they go on with the time. To be called before the server starts. */
export const controlTimers = () => vi.useFakeTimers({ toFake: [...timers], shouldAdvanceTime: true });

interface Lives {
  readonly count: number;
  readonly atOnce: number;
  lead(n: number): Promise<unknown>;
  /** Ends what a test itself holds of them, once all that the server keeps for a while has expired. */
  end?(): Promise<void> | void;
}

/** Leads lives of a kind, and waits until nothing is left of them. Earlier ones fill what is kept once. */
export async function leaveNothing({ count, atOnce, lead, end }: Lives): Promise<void> {
  let n = 0;
  const leadSome = async (most: number): Promise<void> => {
    const next = async (): Promise<void> => {
      while (n < most) await lead(n++);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    await vi.advanceTimersByTimeAsync(longestMs);
    await end?.();
  };
  await leadSome(count / 5);
  const before = held();
  await leadSome(count / 5 + count);
  let left: Record<string, number> = {};
  const isGone = (): boolean => {
    const more = [...held()].map(([kind, now]) => [kind, now - (before.get(kind) ?? 0)] as const);
    // Less than one of two lives: the process keeps more now and then by itself.
    left = Object.fromEntries(more.filter(([, each]) => each > count / 2));
    return Object.keys(left).length === 0;
  };
  for (let looks = 0; !isGone(); looks++) {
    if (looks === maxLooks) throw new Error(`${count} lives have left something behind: ${JSON.stringify(left)}`);
    await vi.advanceTimersByTimeAsync(500);
  }
}
