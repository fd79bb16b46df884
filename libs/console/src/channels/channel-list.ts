import { Injectable } from '@nestjs/common';
import { ChannelRepository } from 'rookery/channels';
import { PresenceService } from 'rookery/presence';
import type { Channel, Channels } from '../contract.js';
import { kindOf } from './channel-kind.js';
import { byName, pageOf, type PageQuery, pageSize } from './page.js';

const self = (name: string): string => name;

/** The occupied channels of an app, over all processes, sorted by name. */
@Injectable()
export class ChannelList {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
  ) {}

  async page(appId: string, { search, after }: PageQuery): Promise<Channels> {
    const { rows, next } = pageOf(await this.names(appId, search, after), self);
    const counts = rows.length > 0 ? await this.channels.subscriptionCounts(appId, rows) : [];
    const presenceChannels = rows.filter((name) => name.startsWith('presence-'));
    const users = presenceChannels.length > 0 ? await this.presence.memberCounts(appId, presenceChannels) : [];
    const channels = rows.map((name, i): Channel => ({
      name,
      kind: kindOf(name),
      subscriptions: counts[i] ?? 0,
      users: presenceChannels.includes(name) ? (users[presenceChannels.indexOf(name)] ?? 0) : null,
    }));
    return { channels, next };
  }

  /** The number of channels. */
  async count(appId: string): Promise<number> {
    let count = 0;
    for await (const names of this.channels.occupied(appId, '')) count += names.length;
    return count;
  }

  /** One more than a page, without sorting the others: there may be many. */
  private async names(appId: string, search: string, after: string): Promise<readonly string[]> {
    let found: string[] = [];
    for await (const names of this.channels.occupied(appId, '')) {
      found.push(...names.filter((name) => name > after && name.includes(search)));
      if (found.length > 64 * pageSize) found = found.toSorted(byName(self)).slice(0, pageSize + 1);
      await new Promise(setImmediate);
    }
    return [...new Set(found)].toSorted(byName(self)).slice(0, pageSize + 1);
  }
}
