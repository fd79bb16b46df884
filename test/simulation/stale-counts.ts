import type { Item } from '../../apps/server/src/workers/rpc-link.js';

/** A node may be stuck for so long between a change and the announcement of its count. */
const recentMs = 15_000;

/**
 * Channels whose count clients may see wrongly, as docs/reliability.md says: a node changed it, and died before it had
 * announced the new one. The next change of another node is announced.
 */
export class StaleCounts {
  private readonly stale = new Set<string>();
  private readonly changedAt = new Map<string, Map<string, number>>();

  includes(channel: string): boolean {
    return this.stale.has(channel);
  }

  /** Messages of a node have arrived at the store. */
  asked(node: string, items: readonly Item[], now: number): void {
    for (const [, , method, args] of items) {
      if (method !== 'occupy') continue;
      const channel = (args as readonly unknown[])[1] as string;
      this.stale.delete(channel);
      const changed = this.changedAt.get(node) ?? new Map<string, number>();
      this.changedAt.set(node, changed.set(channel, now));
    }
  }

  /** The node is dead. */
  gone(node: string, now: number): void {
    for (const [channel, at] of this.changedAt.get(node) ?? []) if (at > now - recentMs) this.stale.add(channel);
    this.changedAt.delete(node);
  }
}
