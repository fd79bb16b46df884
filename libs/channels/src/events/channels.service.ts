import { Injectable } from '@nestjs/common';
import { PresenceService } from 'rookery/presence';
import type { App } from '../access/app.js';
import { ChannelsSettings } from '../channels.options.js';
import {
  badRequest,
  invalidChannel,
  userCountNeedsPrefix,
  userCountNeedsPresence,
  usersNeedPresence,
} from '../channels.errors.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import { ChannelRepository } from '../storage/channel.repository.js';
import { type CountAttribute, countAttributes, parseInfo } from './trigger-request.js';

/** What `info` may ask for of a channel (api § Channel). */
export interface ChannelAttributes {
  readonly user_count?: number;
  readonly subscription_count?: number;
  readonly cache?: { readonly data: string; readonly ttl: number } | null;
}

export interface ChannelState extends ChannelAttributes {
  readonly occupied: boolean;
}

/** Answers what is known of channels: occupied ones, their counts and their users. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly repository: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * The occupied channels (api § GET /apps/<app_id>/channels).
   * @throws ChannelsApiError 400 when `info` asks for user_count and the prefix lets other channels in
   */
  async list(
    app: App,
    query: { filter_by_prefix?: unknown; info?: unknown },
  ): Promise<{ channels: Record<string, ChannelAttributes> }> {
    const { filter_by_prefix: prefix = '' } = query;
    if (typeof prefix !== 'string') throw badRequest('filter_by_prefix must be a text');
    const info = parseInfo(query.info, ['user_count'] as const);
    if (info.length > 0 && !prefix.startsWith('presence-')) throw userCountNeedsPrefix();
    const names = await this.repository.occupied(app.id, prefix);
    const entries = names.map(async (name) => [name, await this.countsOf(app, name, info)] as const);
    return { channels: Object.fromEntries(await Promise.all(entries)) };
  }

  /**
   * One channel, occupied or not (api § GET /apps/<app_id>/channels/<channel_name>).
   * @throws ChannelsApiError 400 when an attribute does not exist for this kind of channel
   */
  async state(app: App, name: string, info: unknown): Promise<ChannelState> {
    const channel = this.parse(name);
    const wanted = parseInfo(info, [...countAttributes, 'cache'] as const);
    if (wanted.includes('user_count') && channel.access !== 'presence') throw userCountNeedsPresence();
    if (wanted.includes('cache') && !channel.isCache)
      throw badRequest('Cannot retrieve the cache unless the channel is a cache channel');
    const occupied = (await this.repository.subscriptionCount(app.id, channel.name)) > 0;
    const counts = await this.counts(
      app,
      channel,
      wanted.filter((attribute) => attribute !== 'cache'),
    );
    return { occupied, ...counts, ...(wanted.includes('cache') ? { cache: await this.cached(app, channel) } : {}) };
  }

  /**
   * The users of a presence channel (api § GET /apps/<app_id>/channels/<channel_name>/users).
   * @throws ChannelsApiError 400 for a channel of another kind
   */
  async users(app: App, name: string): Promise<{ users: { id: string }[] }> {
    const channel = this.parse(name);
    if (channel.access !== 'presence') throw usersNeedPresence();
    const members = await this.presence.members({ scope: app.id, name: channel.name });
    return { users: members.map(({ userId }) => ({ id: userId })) };
  }

  /** The counts among `wanted` that exist for this channel; the others are left out (channels-wire §6.3). */
  async counts(app: App, channel: ChannelName, wanted: readonly CountAttribute[]): Promise<ChannelAttributes> {
    return {
      ...(wanted.includes('user_count') && channel.access === 'presence'
        ? { user_count: await this.presence.memberCount({ scope: app.id, name: channel.name }) }
        : {}),
      ...(wanted.includes('subscription_count') && app.subscriptionCount
        ? { subscription_count: await this.repository.subscriptionCount(app.id, channel.name) }
        : {}),
    };
  }

  private countsOf(app: App, name: string, wanted: readonly CountAttribute[]): Promise<ChannelAttributes> {
    return this.counts(app, this.parse(name), wanted);
  }

  private async cached(app: App, channel: ChannelName): Promise<ChannelAttributes['cache']> {
    const event = await this.repository.recall(app.id, channel.name);
    return event ? { data: event.data, ttl: event.ttlSeconds } : null;
  }

  private parse(name: string): ChannelName {
    const channel = parseChannelName(name, this.settings.limits.channelNameLength);
    if (!channel) throw invalidChannel(name);
    return channel;
  }
}
