import { Injectable } from '@nestjs/common';
import { CurrentUser, UserAuthenticator } from 'rookery/authorization';
import { SubscriptionsService, UsersService } from 'rookery/channels';

@Injectable()
export class Moderation {
  private readonly banned = new Set<string>();

  constructor(
    private readonly users: UsersService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** Closes the user's connections. The SDKs do not reconnect until the page is loaded again. */
  kick(userId: string) {
    return this.users.terminate('app-id', userId);
  }

  ban(userId: string) {
    this.banned.add(userId);
    return this.kick(userId);
  }

  @UserAuthenticator()
  signIn(@CurrentUser() user: { id: string }) {
    return this.banned.has(user.id) ? false : { id: user.id };
  }

  kickFrom(channel: string, userId: string) {
    return this.subscriptions.revoke(userId, channel);
  }
}
