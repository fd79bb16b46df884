import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  ParseIntPipe,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import {
  AuthorizationModule,
  ChannelAuthorizer,
  type ChannelMember,
  ChannelParam,
  CurrentUser,
  UserAuthenticator,
} from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from './channels-server.js';

// An application with users, orders and rooms, as its authors would write it. docs/authorization.md shows parts of it.

export interface User {
  readonly id: string;
  readonly name: string;
  readonly rooms: readonly string[];
  readonly friends: readonly string[];
}

export const users: Readonly<Record<string, User>> = {
  alice: { id: 'alice', name: 'Alice', rooms: ['kitchen', 'roof'], friends: ['bob'] },
  bob: { id: 'bob', name: 'Bob', rooms: ['kitchen'], friends: [] },
};

/** Knows the user by `Authorization: Bearer alice` or the cookie `session=alice`. */
@Injectable()
export class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: User }>();
    const { authorization = '', cookie = '' } = request.headers;
    const name = /^Bearer (\w+)$/.exec(authorization)?.[1] ?? /session=(\w+)/.exec(cookie)?.[1] ?? '';
    request.user = users[name];
    if (!request.user) throw new UnauthorizedException('Who are you?');
    return true;
  }
}

@Injectable()
export class Orders {
  /** The first thousand are Alice's. */
  async isOf(user: User, orderId: number): Promise<boolean> {
    return orderId <= 1000 === (user.id === 'alice');
  }
}

@Injectable()
@UseGuards(LoginGuard)
export class Channels {
  constructor(private readonly orders: Orders) {}

  @ChannelAuthorizer('private-orders.{orderId}')
  canSeeOrder(@CurrentUser() user: User, @ChannelParam('orderId', ParseIntPipe) orderId: number): Promise<boolean> {
    return this.orders.isOf(user, orderId);
  }

  @ChannelAuthorizer('presence-room.{roomId}')
  enter(@CurrentUser() user: User, @ChannelParam('roomId') roomId: string): ChannelMember | false {
    return user.rooms.includes(roomId) && { id: user.id, info: { name: user.name } };
  }
}

@Injectable()
@UseGuards(LoginGuard)
export class Users {
  @ChannelAuthorizer('private-encrypted-notes.{owner}')
  isOwner(@CurrentUser('id') userId: string, @ChannelParam('owner') owner: string): boolean {
    return userId === owner;
  }

  @UserAuthenticator()
  signIn(@CurrentUser() user: User) {
    return { id: user.id, info: { name: user.name }, watchlist: user.friends };
  }
}

export const masterKey = Buffer.alloc(32, 7).toString('base64');
const app = { ...testApp, encryptionMasterKeyBase64: masterKey };

@Module({
  imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [app] }), AuthorizationModule.forRoot()],
  providers: [Orders, Channels, Users],
})
export class AppModule {}
