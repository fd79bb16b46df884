import { Injectable } from '@nestjs/common';
import { type Connection, type HostUser, SocketAuthorizer } from 'rookery/channels';
import { HostCall } from '#http';
import { AuthorizationSettings } from './authorization.options.js';
import { ChannelAuthorizers } from './channel-authorizers.js';
import { ConcurrentAuthorizations } from './concurrent-authorizations.js';
import { channelDataOf, userDataOf } from './tokens.js';
import { UserAuthenticators } from './user-authenticators.js';

/** Calls the host's methods for requests on the socket; guards and parameters see the request that opened it. */
@Injectable()
export class HostSocketAuthorizer extends SocketAuthorizer {
  constructor(
    private readonly authorizers: ChannelAuthorizers,
    private readonly authenticators: UserAuthenticators,
    private readonly slots: ConcurrentAuthorizations,
    private readonly settings: AuthorizationSettings,
  ) {
    super();
  }

  get isOn(): boolean {
    return this.settings.authorizeOnSubscribe;
  }

  /** @throws Refused 403 if no user is signed in; also rethrows the method's errors */
  async user(connection: Connection): Promise<HostUser> {
    const { app, socketId, request } = connection;
    const work = () => this.authenticators.user(HostCall.onSocket(request!), app, socketId);
    const user = await this.slots.runInTurn(connection, work);
    return { id: user.userId, userData: userDataOf(user) };
  }

  /** @throws Refused 403 if the method denies it; also rethrows the method's errors */
  async channelData(connection: Connection, channel: string): Promise<string | undefined> {
    const { app, socketId, request } = connection;
    const work = () => this.authorizers.grant(HostCall.onSocket(request!), app, socketId, channel);
    const { member } = await this.slots.runInTurn(connection, work);
    return member && channelDataOf(member);
  }
}
