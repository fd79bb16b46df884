import { Injectable } from '@nestjs/common';
import type { App } from '../../app/app.js';
import { invalidChannel, invalidUserId, removalNeedsAuthorization } from '../../channels.errors.js';
import { ChannelsSettings } from '../../channels.options.js';
import { type ChannelName, isShown, parseChannelName } from '../../protocol/channel-name.js';
import { isUserId } from '../../protocol/user-id.js';
import { SubscriptionsService } from '../../subscriptions/subscriptions.service.js';

/** What servers do to the users of a channel. */
@Injectable()
export class MembersService {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Ends the user's subscriptions of a private or presence channel, on every process, as
   * {@link SubscriptionsService.revoke} does.
   * @throws ChannelsApiError 400 for another channel, or an id that no user can have
   */
  async remove(app: App, name: string, userId: string): Promise<void> {
    const { access } = this.channelOf(name, userId);
    if (access !== 'private' && access !== 'presence') throw removalNeedsAuthorization();
    await this.subscriptions.revoke(userId, name, app);
  }

  private channelOf(name: string, userId: string): ChannelName {
    const { limits } = this.settings;
    const channel = parseChannelName(name, limits);
    if (!channel || !isShown(channel)) throw invalidChannel(name);
    if (!isUserId(userId, limits.userIdLength)) throw invalidUserId(userId);
    return channel;
  }
}
