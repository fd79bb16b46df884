import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import { type Member, PresenceService } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import type { App, AppOrId } from '../app/app.js';
import { Broker } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import {
  badRequest,
  invalidChannel,
  userCountNeedsPrefix,
  userCountNeedsPresence,
  usersNeedPresence,
} from '../channels.errors.js';
import { accessOf, type ChannelName, isShown, parseChannelName } from '../protocol/channel-name.js';
import { ChannelRepository } from '../storage/channel.repository.js';
import { countAttributes, parseInfo } from './trigger-request.js';

/** The attributes that `info` may request for a channel (api § Channel). */
export interface ChannelAttributes {
  readonly user_count?: number;
  readonly subscription_count?: number;
  readonly cache?: { readonly data: string; readonly ttl: number } | null;
}

/** What is known of one channel. */
export interface ChannelStatus extends ChannelAttributes {
  readonly occupied: boolean;
}

/** What a list of channels may ask for. */
export interface ListQuery {
  readonly filter_by_prefix?: unknown;
  readonly info?: unknown;
}

/** Some of the occupied channels: at most a thousand, with what was asked for. */
export type ChannelPage = readonly (readonly [name: string, ChannelAttributes])[];

/**
 * Answers the state of channels: which are occupied, their counts and their users. Methods that take the id of an app
 * throw RookeryError `app_not_found` where there is none.
 */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly apps: Apps,
    private readonly broker: Broker,
    private readonly repository: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * The occupied channels (api § GET /apps/<app_id>/channels).
   * @throws ChannelsApiError 400 when `info` requests user_count and the prefix allows channels other than presence, unless the
   *   app has `countsInChannelList`
   */
  async list(app: AppOrId, query: ListQuery): Promise<{ channels: Record<string, ChannelAttributes> }> {
    const entries: ChannelPage[number][] = [];
    for await (const page of this.pages(app, query)) entries.push(...page);
    return { channels: Object.fromEntries(entries) };
  }

  /**
   * The same, page by page. A channel that changes meanwhile may be missing or repeated.
   * @throws as {@link list}, at the first page
   */
  async *pages(named: AppOrId, query: ListQuery): AsyncGenerator<ChannelPage, void> {
    const app = await this.apps.named(named);
    const { filter_by_prefix: prefix = '' } = query;
    if (typeof prefix !== 'string') throw badRequest('filter_by_prefix must be a text');
    const { countsInChannelList: isForAll } = app;
    const info = parseInfo(query.info, isForAll ? countAttributes : (['user_count'] as const));
    if (info.length > 0 && !isForAll && accessOf(prefix) !== 'presence') throw userCountNeedsPrefix();
    for await (const names of this.repository.occupied(app.id, prefix)) {
      const counted = info.includes('subscription_count') ? names : [];
      const withUsers = info.includes('user_count') ? names.filter((name) => accessOf(name) === 'presence') : [];
      const attributes = await this.read(app, withUsers, counted);
      yield names.map((name) => [name, attributes(name)] as const);
      // The next page takes another turn of the event loop: a long list blocks no other work.
      await new Promise(setImmediate);
    }
  }

  /**
   * One channel, occupied or not (api § GET /apps/<app_id>/channels/<channel_name>).
   * @throws ChannelsApiError 400 when an attribute does not exist for this kind of channel
   */
  async state(named: AppOrId, name: string, info: unknown): Promise<ChannelStatus> {
    const app = await this.apps.named(named);
    const channel = this.parse(name);
    const wanted = parseInfo(info, [...countAttributes, 'cache'] as const);
    if (wanted.includes('user_count') && channel.access !== 'presence') throw userCountNeedsPresence();
    if (wanted.includes('cache') && !channel.isCache)
      throw badRequest('Cannot retrieve the cache unless the channel is a cache channel');
    const [count = 0] = await this.repository.subscriptionCounts(app.id, [channel.name]);
    const occupied = count > 0;
    const [counts] = await this.counts(
      app,
      [channel],
      wanted.filter((attribute) => attribute !== 'cache'),
    );
    return { occupied, ...counts, ...(wanted.includes('cache') ? { cache: await this.cached(app, channel) } : {}) };
  }

  /**
   * The users of a presence channel (api § GET /apps/<app_id>/channels/<channel_name>/users).
   * @throws ChannelsApiError 400 for a channel of another kind
   */
  async users(app: AppOrId, name: string): Promise<{ users: { id: string }[] }> {
    return { users: (await this.members(app, name)).map(({ userId }) => ({ id: userId })) };
  }

  /**
   * The same, with each user's `user_info`.
   * @throws ChannelsApiError 400 for a channel of another kind
   */
  async members(app: AppOrId, name: string): Promise<readonly Member[]> {
    const { id } = await this.apps.named(app);
    const channel = this.parse(name);
    if (channel.access !== 'presence') throw usersNeedPresence();
    const room = { scope: id, name: channel.name };
    // While the repository is down, this call fails at once; members() may wait, because subscribers need the roster.
    return (await this.presence.memberCount(room)) === 0 ? [] : this.presence.members(room);
  }

  /**
   * The counts among `wanted` that exist for each channel, in the order of the channels; other attributes are omitted
   * (channels-wire §6.3).
   */
  async counts(
    app: App,
    channels: readonly ChannelName[],
    wanted: readonly string[],
  ): Promise<readonly ChannelAttributes[]> {
    const presence = wanted.includes('user_count') ? channels.filter(({ access }) => access === 'presence') : [];
    const counted = wanted.includes('subscription_count') && app.subscriptionCount ? channels.filter(isShown) : [];
    const attributes = await this.read(app, presence.map(nameOf), counted.map(nameOf));
    return channels.map(({ name }) => attributes(name));
  }

  /** Reads the users of some channels and the connections of some. @returns what was read of a channel */
  private async read(
    { id }: App,
    withUsers: readonly string[],
    counted: readonly string[],
  ): Promise<(name: string) => ChannelAttributes> {
    const [users, connections] = await Promise.all([
      countsByName(withUsers, (names) => this.presence.memberCounts(id, names)),
      countsByName(counted, (names) => this.repository.subscriptionCounts(id, names)),
    ]);
    return (name) => ({
      ...(users.has(name) ? { user_count: users.get(name)! } : {}),
      ...(connections.has(name) ? { subscription_count: connections.get(name)! } : {}),
    });
  }

  private async cached(app: App, channel: ChannelName): Promise<ChannelAttributes['cache']> {
    const event = await this.broker.recall(app.id, channel.name);
    return event ? { data: dataOf(event.text), ttl: event.ttlSeconds } : null;
  }

  private parse(name: string): ChannelName {
    const channel = parseChannelName(name, this.settings.limits);
    if (!channel || !isShown(channel)) throw invalidChannel(name);
    return channel;
  }
}

/** Reads all counts in one call, or none if nothing is requested. */
async function countsByName(
  names: readonly string[],
  ask: (names: readonly string[]) => Awaitable<readonly number[]>,
): Promise<ReadonlyMap<string, number>> {
  const counts = names.length > 0 ? await ask(names) : [];
  return new Map(names.map((name, i) => [name, counts[i] ?? 0]));
}

const nameOf = ({ name }: ChannelName): string => name;

/** The data in an event's text, which we wrote: `{"event":…,"channel":…,"data":"…"}`. */
const dataOf = (text: string): string => (JSON.parse(text) as { data: string }).data;
