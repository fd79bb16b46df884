import { Injectable } from '@nestjs/common';
import { RememberedAnswers } from '#common';
import {
  type ChannelOccupancy,
  ChannelRepository,
  type NodeHoldings,
  type Occupancy,
  type OccupancyChange,
} from './channel.repository.js';

/** The entries of a process for one app. */
interface NodeState {
  /** Its connections on each channel. */
  readonly held: Map<string, number>;
  /** The latest change that it made to each channel, to answer a repeated call. */
  readonly changes: RememberedAnswers<OccupancyChange>;
}

interface Vacancy {
  readonly version: number;
  /** The process that holds it. */
  readonly nodeId: string;
}

interface AppState {
  /** The connections of all processes on each occupied channel. */
  readonly counts: Map<string, number>;
  readonly nodes: Map<string, NodeState>;
  /** Vacated channels whose vacancy is unconfirmed. */
  readonly unconfirmed: RememberedAnswers<Vacancy>;
  /** The greatest version of the vacancies that were forgotten. */
  forgotten: number;
  /** The connections that count towards the quota, with the process of each. */
  readonly admitted: Map<string, string>;
}

const pageNames = 1000;
/** For the unconfirmed vacancies of an app. Anyone who knows its key can vacate any number of channels. */
const unconfirmedBytes = 32 * 1024 * 1024;

/** In memory: for one process; state is lost on restart. */
@Injectable()
export class MemoryChannelRepository extends ChannelRepository {
  private readonly apps = new Map<string, AppState>();
  protected version = 0;

  occupy(appId: string, channel: string, nodeId: string, connections: number): Occupancy {
    return this.hold(appId, channel, nodeId, connections, nodeId);
  }

  private hold(appId: string, channel: string, nodeId: string, connections: number, heirId: string): Occupancy {
    const { counts, unconfirmed } = this.app(appId);
    const { held, changes } = this.node(appId, nodeId);
    const before = held.get(channel) ?? 0;
    const countBefore = counts.get(channel) ?? 0;
    if (before === connections) return occupancy(countBefore, this.version, changes.get(channel));
    set(held, channel, connections);
    const count = countBefore + connections - before;
    set(counts, channel, count);
    const version = ++this.version;
    if (countBefore > 0 === count > 0) {
      changes.delete(channel);
      return { count, version };
    }
    const isReturn = unconfirmed.get(channel) !== undefined;
    if (count > 0) unconfirmed.delete(channel);
    else unconfirmed.set(channel, { version, nodeId: heirId });
    const change: OccupancyChange =
      count > 0 ? { to: 'occupied', version, ...(isReturn ? { isReturn } : {}) } : { to: 'vacated', version };
    changes.set(channel, change);
    return { count, version, change };
  }

  holdsVacancy(appId: string, channel: string, version: number, nodeId: string): boolean {
    const vacancy = this.app(appId).unconfirmed.get(channel);
    if (!vacancy) return this.isForgotten(appId, channel, version);
    return vacancy.version === version && vacancy.nodeId === nodeId;
  }

  confirmVacated(appId: string, channel: string, version: number): boolean {
    const { unconfirmed } = this.app(appId);
    const vacancy = unconfirmed.get(channel);
    if (!vacancy) return this.isForgotten(appId, channel, version);
    if (vacancy.version === version) unconfirmed.delete(channel);
    return vacancy.version === version;
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
    const kept = new Set(channels.map(({ appId, channel }) => keyOf(appId, channel)));
    const gone = this.takeOutIf(nodeId, nodeId, (appId, channel) => !kept.has(keyOf(appId, channel)));
    for (const { appId, connectionId } of admitted) this.app(appId).admitted.set(connectionId, nodeId);
    const changed = channels.flatMap(({ appId, channel, connections }) => {
      const isNew = this.node(appId, nodeId).held.get(channel) !== connections;
      const occupancy = this.occupy(appId, channel, nodeId, connections);
      return isNew ? [{ appId, channel, ...occupancy }] : [];
    });
    return [...gone, ...changed];
  }

  takeOut(nodeId: string, heirId: string): readonly ChannelOccupancy[] {
    return [...this.inherit(nodeId, heirId), ...this.takeOutIf(nodeId, heirId, () => true)];
  }

  private inherit(nodeId: string, heirId: string): ChannelOccupancy[] {
    return [...this.apps].flatMap(([appId, { unconfirmed }]) => {
      const inherited = [...unconfirmed.entries()].filter(([, vacated]) => vacated.nodeId === nodeId);
      return inherited.map(([channel, { version }]) => {
        unconfirmed.set(channel, { version, nodeId: heirId });
        return { appId, channel, count: 0, version, change: { to: 'vacated', version } };
      });
    });
  }

  private takeOutIf(
    nodeId: string,
    heirId: string,
    isGone: (appId: string, channel: string) => boolean,
  ): ChannelOccupancy[] {
    const changed: ChannelOccupancy[] = [];
    for (const [appId, { nodes, admitted }] of this.apps) {
      for (const channel of nodes.get(nodeId)?.held.keys() ?? [])
        if (isGone(appId, channel)) changed.push({ appId, channel, ...this.hold(appId, channel, nodeId, 0, heirId) });
      for (const [connectionId, holder] of admitted) if (holder === nodeId) admitted.delete(connectionId);
    }
    return changed;
  }

  /** Whether the channel is still vacant, and its vacancy may be one of those that were forgotten. */
  private isForgotten(appId: string, channel: string, version: number): boolean {
    const { forgotten, counts } = this.app(appId);
    return version <= forgotten && !counts.has(channel);
  }

  private node(appId: string, nodeId: string): NodeState {
    const { nodes } = this.app(appId);
    let node = nodes.get(nodeId);
    if (!node) nodes.set(nodeId, (node = { held: new Map(), changes: new RememberedAnswers() }));
    return node;
  }

  private app(appId: string): AppState {
    const known = this.apps.get(appId);
    if (known) return known;
    const unconfirmed = new RememberedAnswers<Vacancy>({
      maxBytes: unconfirmedBytes,
      forgotten: (vacancies) => {
        for (const { version } of vacancies) app.forgotten = Math.max(app.forgotten, version);
      },
    });
    const app: AppState = { counts: new Map(), nodes: new Map(), unconfirmed, forgotten: 0, admitted: new Map() };
    this.apps.set(appId, app);
    return app;
  }
}

const occupancy = (count: number, version: number, change: OccupancyChange | undefined): Occupancy =>
  change ? { count, version, change } : { count, version };

/** Removes channels without connections. */
function set(counts: Map<string, number>, channel: string, count: number): void {
  if (count > 0) counts.set(channel, count);
  else counts.delete(channel);
}

/** Unambiguous: no app and channel have the key of another pair. */
const keyOf = (appId: string, channel: string): string => `${appId.length} ${appId} ${channel}`;
