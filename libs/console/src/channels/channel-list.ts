import { Injectable } from '@nestjs/common';
import { accessOf, ChannelRepository } from 'rookery/internal/channels';
import { PresenceService } from 'rookery/presence';
import type { Channel, Channels } from '../contract/index.js';
import { Processes } from '../processes/processes.js';
import { kindOf } from './channel-kind.js';
import { byName, pageOf, type PageQuery, pageSize } from '../page.js';

/** What the list is sorted by: the names, or the largest number of something. */
export const channelOrders = ['name', 'subscriptions', 'events'] as const;
export type ChannelOrder = (typeof channelOrders)[number];

const self = (name: string): string => name;

/** Of so many channels, the largest are looked for. */
const maxCompared = 20_000;
const countedAtOnce = 1000;

/** The occupied channels of an app, over all processes. */
@Injectable()
export class ChannelList {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly processes: Processes,
  ) {}

  /** In the order of names page by page; otherwise the first page alone. */
  async page(appId: string, { search, after }: PageQuery, order: ChannelOrder): Promise<Channels> {
    const { names, total } = await this.names(appId, search, order === 'name' ? after : '', order);
    const { rows, next } = order === 'name' ? pageOf(names, self) : { rows: names, next: null };
    const counts = rows.length > 0 ? await this.channels.subscriptionCounts(appId, rows) : [];
    const rates = await this.ratesOf(appId, rows);
    const presenceChannels = rows.filter((name) => accessOf(name) === 'presence');
    const users = presenceChannels.length > 0 ? await this.presence.memberCounts(appId, presenceChannels) : [];
    const channels = rows.map((name, i): Channel => ({
      name,
      kind: kindOf(name),
      subscriptions: counts[i] ?? 0,
      eventsPerSecond: rates.get(name) ?? 0,
      users: presenceChannels.includes(name) ? (users[presenceChannels.indexOf(name)] ?? 0) : null,
    }));
    return { channels, total, compared: Math.min(total, maxCompared), next };
  }

  /** Events per second. */
  async rateOf(appId: string, channel: string): Promise<number> {
    return (await this.ratesOf(appId, [channel])).get(channel) ?? 0;
  }

  /** The number of channels. */
  async count(appId: string): Promise<number> {
    let count = 0;
    for await (const names of this.channels.occupied(appId, '')) count += names.length;
    return count;
  }

  private async names(appId: string, search: string, after: string, order: ChannelOrder) {
    if (order === 'name') return this.firstNames(appId, search, after);
    const found = new Set<string>();
    let total = 0;
    for await (const names of this.channels.occupied(appId, '')) {
      for (const name of names) {
        if (!name.includes(search)) continue;
        total += 1;
        if (found.size < maxCompared) found.add(name);
      }
      await new Promise(setImmediate);
    }
    const sizes = order === 'events' ? await this.ratesOf(appId) : await this.countsOf(appId, [...found]);
    const largest = [...sizes].filter(([name]) => found.has(name)).toSorted(largestFirst);
    return { names: largest.slice(0, pageSize).map(([name]) => name), total };
  }

  /** One more than a page, without sorting the others: there may be many. */
  private async firstNames(appId: string, search: string, after: string) {
    let found: string[] = [];
    let total = 0;
    for await (const names of this.channels.occupied(appId, '')) {
      const matching = names.filter((name) => name.includes(search));
      total += matching.length;
      found.push(...matching.filter((name) => name > after));
      if (found.length > 64 * pageSize) found = found.toSorted(byName(self)).slice(0, pageSize + 1);
      await new Promise(setImmediate);
    }
    return { names: [...new Set(found)].toSorted(byName(self)).slice(0, pageSize + 1), total };
  }

  private async countsOf(appId: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const all = new Map<string, number>();
    for (let at = 0; at < names.length; at += countedAtOnce) {
      const some = names.slice(at, at + countedAtOnce);
      const counts = await this.channels.subscriptionCounts(appId, some);
      some.forEach((name, i) => all.set(name, counts[i] ?? 0));
    }
    return all;
  }

  /** Events per second of these channels, or of those with the most. */
  private async ratesOf(appId: string, channels?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const about = { appId, most: countedAtOnce, ...(channels && { channels }) };
    const all = new Map<string, number>();
    for (const [name, rate] of (await this.processes.all('rates', about)).flat())
      all.set(name, (all.get(name) ?? 0) + rate);
    return all;
  }
}

const largestFirst = ([, left]: readonly [string, number], [, right]: readonly [string, number]): number =>
  right - left;
