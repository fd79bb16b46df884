import { Injectable } from '@nestjs/common';
import { RememberedAnswers } from 'rookery/common';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings, type Occupancy } from './channel.repository.js';

interface AppState {
  /** The connections of all processes on each occupied channel. */
  readonly counts: Map<string, number>;
  /** Those of each process. */
  readonly nodes: Map<string, Map<string, number>>;
  /** The connections that count towards the quota, and the process of each. */
  readonly admitted: Map<string, string>;
}

const pageNames = 1000;

/** In memory: for one process; state is lost on restart. */
@Injectable()
export class MemoryChannelRepository extends ChannelRepository {
  private readonly apps = new Map<string, AppState>();
  /** The latest change that each process made to a channel, for the case that it asks again. */
  private readonly changes = new RememberedAnswers<Occupancy>();
  private version = 0;

  occupy(appId: string, channel: string, nodeId: string, connections: number): Occupancy {
    const { counts, nodes } = this.app(appId);
    const held = nodes.get(nodeId) ?? new Map<string, number>();
    const before = held.get(channel) ?? 0;
    const countBefore = counts.get(channel) ?? 0;
    if (before === connections) return this.changes.get(keyOf(appId, channel, nodeId)) ?? { count: countBefore };
    set(held, channel, connections);
    if (held.size > 0) nodes.set(nodeId, held);
    else nodes.delete(nodeId);
    const count = countBefore + connections - before;
    set(counts, channel, count);
    return this.remember(keyOf(appId, channel, nodeId), countBefore, count);
  }

  subscriptionCounts(appId: string, channels: readonly string[]): readonly number[] {
    const { counts } = this.app(appId);
    return channels.map((channel) => counts.get(channel) ?? 0);
  }

  *occupied(appId: string, prefix: string): Iterable<readonly string[]> {
    let page: string[] = [];
    for (const channel of this.app(appId).counts.keys()) {
      if (channel.startsWith(prefix)) page.push(channel);
      if (page.length < pageNames) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  admit(appId: string, nodeId: string, connectionId: string, limit: number): boolean {
    const { admitted } = this.app(appId);
    if (!admitted.has(connectionId) && admitted.size >= limit) return false;
    admitted.set(connectionId, nodeId);
    return true;
  }

  dismiss(appId: string, _: string, connectionId: string): void {
    this.app(appId).admitted.delete(connectionId);
  }

  announce(nodeId: string, { channels, admitted }: NodeHoldings): readonly ChannelOccupancy[] {
    const kept = new Set(channels.map(({ appId, channel }) => keyOf(appId, channel, nodeId)));
    const gone = this.takeOutIf(nodeId, (appId, channel) => !kept.has(keyOf(appId, channel, nodeId)));
    for (const { appId, connectionId } of admitted) this.app(appId).admitted.set(connectionId, nodeId);
    const changed = channels.flatMap(({ appId, channel, connections }) => {
      const isNew = this.app(appId).nodes.get(nodeId)?.get(channel) !== connections;
      const occupancy = this.occupy(appId, channel, nodeId, connections);
      return isNew ? [{ appId, channel, ...occupancy }] : [];
    });
    return [...gone, ...changed];
  }

  takeOut(nodeId: string): readonly ChannelOccupancy[] {
    return this.takeOutIf(nodeId, () => true);
  }

  private takeOutIf(nodeId: string, isGone: (appId: string, channel: string) => boolean): ChannelOccupancy[] {
    const changed: ChannelOccupancy[] = [];
    for (const [appId, { nodes, admitted }] of this.apps) {
      for (const channel of nodes.get(nodeId)?.keys() ?? [])
        if (isGone(appId, channel)) changed.push({ appId, channel, ...this.occupy(appId, channel, nodeId, 0) });
      for (const [connectionId, holder] of admitted) if (holder === nodeId) admitted.delete(connectionId);
    }
    return changed;
  }

  private remember(key: string, before: number, count: number): Occupancy {
    if (before > 0 === count > 0) {
      this.changes.delete(key);
      return { count };
    }
    const occupancy = { count, change: { to: count > 0 ? 'occupied' : 'vacated', version: ++this.version } } as const;
    this.changes.set(key, occupancy);
    return occupancy;
  }

  private app(appId: string): AppState {
    let app = this.apps.get(appId);
    if (!app) this.apps.set(appId, (app = { counts: new Map(), nodes: new Map(), admitted: new Map() }));
    return app;
  }
}

/** Keeps no channel that nobody is on. */
function set(counts: Map<string, number>, channel: string, count: number): void {
  if (count > 0) counts.set(channel, count);
  else counts.delete(channel);
}

/** No app or process can be written as another's. */
const keyOf = (appId: string, channel: string, nodeId: string): string =>
  `${appId.length} ${appId} ${nodeId} ${channel}`;
