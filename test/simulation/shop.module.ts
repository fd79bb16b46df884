import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  type Provider,
  type Type,
  UseGuards,
} from '@nestjs/common';
import {
  AuthorizationModule,
  ChannelAuthorizer,
  ChannelParam,
  CurrentUser,
  UserAuthenticator,
} from 'rookery/authorization';
import { type ChannelActivity, ChannelsModule, EventsService, OnChannelOccupied } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { testingApp, testingInstance } from '@rookery/testing';

/** Stands for the shop's database. */
@Injectable()
export class OrdersTable {
  private readonly buyers = new Map([['7', 'ann']]);
  private readonly opened: string[] = [];

  async add(order: string, buyer: string): Promise<void> {
    this.buyers.set(order, buyer);
  }

  async buyerOf(order: string): Promise<string | undefined> {
    return this.buyers.get(order);
  }

  async open(channel: string): Promise<void> {
    this.opened.push(channel);
  }

  async openedChannels(): Promise<readonly string[]> {
    return this.opened;
  }
}

/** What a user may see. */
export abstract class Access {
  abstract allow(order: string, user: string): Promise<void>;
  abstract maySee(order: string, user: string): Promise<boolean>;
}

@Injectable()
export class AccessInTable extends Access {
  constructor(private readonly orders: OrdersTable) {
    super();
  }

  async allow(order: string, user: string): Promise<void> {
    await this.orders.add(order, user);
  }

  async maySee(order: string, user: string): Promise<boolean> {
    return (await this.orders.buyerOf(order)) === user;
  }
}

interface LoggedIn {
  readonly headers: Readonly<Record<string, string | undefined>>;
  user?: string;
}

@Injectable()
class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<LoggedIn>();
    request.user = request.headers['x-user'];
    return request.user !== undefined;
  }
}

@Injectable()
@UseGuards(LoginGuard)
class ShopChannels {
  constructor(private readonly access: Access) {}

  @UserAuthenticator()
  signIn(@CurrentUser() user: string) {
    return { id: user };
  }

  @ChannelAuthorizer('private-orders-{order}')
  async maySee(@CurrentUser() user: string, @ChannelParam('order') order: string) {
    return (await this.access.maySee(order, user)) || false;
  }
}

@Injectable()
class Visits {
  constructor(private readonly orders: OrdersTable) {}

  @OnChannelOccupied('private-orders-*')
  async opened({ channel }: ChannelActivity): Promise<void> {
    await this.orders.open(channel);
  }
}

@Injectable()
export class Shop {
  constructor(
    private readonly access: Access,
    private readonly events: EventsService,
    private readonly notifications: NotificationsService,
  ) {}

  async sell(order: string, buyer: string): Promise<void> {
    await this.access.allow(order, buyer);
  }

  async ship(order: string, buyer: string): Promise<void> {
    await this.events.trigger(testingApp.id, { name: 'shipped', channel: `private-orders-${order}`, data: { order } });
    await this.notifications.notify(buyer, {
      event: { name: 'on-its-way', data: { order } },
      push: { fcm: { notification: { title: 'On its way' } } },
    });
  }
}

const history = [{ channels: 'private-orders-*' }];

/** @param providers besides its own */
export function shopModule(access: Type<Access> = AccessInTable, providers: readonly Provider[] = []): Type {
  @Module({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [{ ...testingApp, history }] }),
      PushDeviceModule.forRoot({ instances: [testingInstance] }),
      PublishModule.forRoot(),
      NotificationsModule.forRoot({ apps: [{ pushAfterSeconds: 5 }] }),
      AuthorizationModule.forRoot(),
    ],
    providers: [OrdersTable, { provide: Access, useClass: access }, ShopChannels, Visits, Shop, ...providers],
  })
  class HostModule {}
  return HostModule;
}

export const ShopModule = shopModule();
