import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { pause } from '#common';
import { jsonIn } from '#http';
import type { Member } from 'rookery/presence';
import type { App, AppOrId } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import { NodeRpc, nodeSubject } from '../../broker/node-rpc.js';
import {
  badRequest,
  invalidChannel,
  invalidUserId,
  memberNotFound,
  removalNeedsAuthorization,
  userInfoNeedsPresence,
  userInfoTooLarge,
} from '../../channels.errors.js';
import { ChannelsSettings } from '../../channels.options.js';
import { EventsService } from '../../events/events.service.js';
import { TriggerLimit } from '../../events/trigger-limit.js';
import { Hub } from '../../hub/hub.js';
import { type ChannelName, isShown, parseChannelName } from '../../protocol/channel-name.js';
import { isUserId } from '../../protocol/user-id.js';
import { SubscriptionsService } from '../../subscriptions/subscriptions.service.js';
import { holdMember } from '../presence/hold-member.js';
import { PresenceMembership } from '../presence/presence-membership.js';

interface UpdatedMember {
  readonly appId: string;
  readonly channel: string;
  readonly member: Member;
  readonly version: number;
}

/** Maximum attempts to announce an update to other processes, and the delay between them in milliseconds. */
const [maxTries, againMs] = [10, 1000];

const memberUpdated = nodeSubject<UpdatedMember>('members.updated');

/** What servers do to the users of a channel: update their info, or remove them. */
@Injectable()
export class MembersService implements OnApplicationBootstrap {
  constructor(
    private readonly events: EventsService,
    private readonly membership: PresenceMembership,
    private readonly subscriptions: SubscriptionsService,
    private readonly limit: TriggerLimit,
    private readonly calls: NodeRpc,
    private readonly hub: Hub,
    private readonly settings: ChannelsSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(memberUpdated, (updated) => this.keep(updated));
    this.calls.open();
  }

  /**
   * Replaces the info of a present member, until they have left. Subscribers get `rookery:member_updated` and a further
   * `pusher_internal:member_added`, by which their libraries update the roster; later ones get the new info at once.
   * @param userInfo what can be written as JSON; null: none
   * @throws RookeryError `app_not_found`; ChannelsApiError 400, 404 if the user is not on the channel, 413 or 429, as over
   *   HTTP
   */
  async update(app: AppOrId, channel: string, userId: string, userInfo: unknown): Promise<void> {
    const json = jsonIn('user_info', userInfo, badRequest);
    await this.updateExactly(await this.events.appOf(app), channel, userId, json);
  }

  /** The same, with the info as JSON: parsed and written again, long numbers would lose digits. */
  async updateExactly(app: App, name: string, userId: string, userInfoJson: string): Promise<void> {
    const channel = this.channelOf(name, userId);
    if (channel.access !== 'presence') throw userInfoNeedsPresence();
    const { presenceUserBytes } = limitsOf(app, this.settings.limits);
    if (Buffer.byteLength(userInfoJson) > presenceUserBytes) throw userInfoTooLarge(presenceUserBytes);
    await this.limit.take(app, 1);
    const member = userInfoJson === 'null' ? { userId } : { userId, userInfoJson };
    const version = await this.membership.update(app, channel, member);
    if (version === undefined) throw memberNotFound(userId, name);
    void this.tell(app, { appId: app.id, channel: name, member, version });
  }

  /**
   * Ends the user's subscriptions of a private or presence channel, on every process, as
   * {@link SubscriptionsService.revoke} does.
   * @throws RookeryError `app_not_found`; ChannelsApiError 400 for another channel, or an id that no user can have
   */
  async remove(app: AppOrId, name: string, userId: string): Promise<void> {
    const { access } = this.channelOf(name, userId);
    if (access !== 'private' && access !== 'presence') throw removalNeedsAuthorization();
    await this.subscriptions.revoke(userId, name, app);
  }

  /** Again, if the broker was away, or a process did not answer, until the member has another info. */
  private async tell(app: App, updated: UpdatedMember): Promise<void> {
    const { channel, member, version } = updated;
    for (let tries = 0; tries < maxTries; tries++) {
      const answered = await this.calls.askAll(memberUpdated, updated).catch(() => undefined);
      if (answered?.missing === 0) return;
      await pause(againMs);
      if (await this.membership.isOutdated(app, channel, member, version).catch(() => false)) return;
    }
  }

  /** Connections hold their members: if shared state is lost, processes restore it from these. */
  private keep({ appId, channel, member, version }: UpdatedMember): void {
    for (const connection of this.hub.on({ appId, channel }))
      if (connection.subscriptions?.get(channel)?.member?.userId === member.userId)
        holdMember(connection, channel, member, version);
  }

  private channelOf(name: string, userId: string): ChannelName {
    const { limits } = this.settings;
    const channel = parseChannelName(name, limits);
    if (!channel || !isShown(channel)) throw invalidChannel(name);
    if (!isUserId(userId, limits.userIdLength)) throw invalidUserId(userId);
    return channel;
  }
}
