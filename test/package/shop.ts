// An application that uses what Rookery has for the host's own code. It is copied into the fresh applications of
// test/package, and compiled and run there.
import 'reflect-metadata';
import {
  Body,
  type CanActivate,
  ConflictException,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  Post,
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
import { ChannelsModule, EventsService, type MemberActivity, OnMemberAdded, TypedEvents } from 'rookery/channels';
import { dataOf, defineEvents } from '@rookery/client/events';
import { PresenceModule } from 'rookery/presence';
import { sqliteDriver, TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';

export interface User {
  readonly id: string;
}

@Entity()
export class Order {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text')
  customer!: string;
}

/** Knows the user by `Authorization: Bearer alice`. */
@Injectable()
export class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: User }>();
    const id = /^Bearer (\w+)$/.exec(request.headers['authorization'] ?? '')?.[1];
    if (id === undefined) throw new UnauthorizedException('Who are you?');
    request.user = { id };
    return true;
  }
}

@Injectable()
@UseGuards(LoginGuard)
export class Customers {
  readonly entered: string[] = [];

  @ChannelAuthorizer('private-orders.{customer}')
  own(@CurrentUser() user: User, @ChannelParam('customer') customer: string): boolean {
    return user.id === customer;
  }

  @ChannelAuthorizer('presence-shop')
  enter(@CurrentUser() user: User): ChannelMember {
    return { id: user.id };
  }

  @UserAuthenticator()
  signIn(@CurrentUser() user: User): { id: string } {
    return { id: user.id };
  }

  @OnMemberAdded('presence-shop')
  hear({ userId }: MemberActivity): void {
    this.entered.push(userId);
  }
}

export const events = defineEvents({ 'private-orders.{customer}': { placed: dataOf<{ id: number }>() } });

@Controller()
@UseGuards(LoginGuard)
export class ShopController {
  private readonly events: TypedEvents<typeof events>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly customers: Customers,
    service: EventsService,
  ) {
    this.events = new TypedEvents(service, events);
  }

  @Get('entered')
  entered(): readonly string[] {
    return this.customers.entered;
  }

  @Post('orders')
  place(@CurrentUser('id') customer: string, @Body('isInStock') isInStock: boolean): Promise<Order> {
    return this.dataSource.transaction(async (manager) => {
      const order = await manager.save(Order, manager.create(Order, { customer }));
      await this.events.trigger(`private-orders.${customer}`, 'placed', { id: order.id }, { within: manager });
      if (!isInStock) throw new ConflictException('Nothing is left');
      return order;
    });
  }
}

export const dataSource = new DataSource({
  type: 'better-sqlite3',
  driver: sqliteDriver,
  database: ':memory:',
  entities: [Order],
  synchronize: true,
});

@Module({
  imports: [
    TypeOrmStorageModule.forRoot({ dataSource }),
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [{ id: '1', key: 'key', secret: 'secret' }],
      triggerOutbox: TypeOrmTriggerOutbox,
    }),
    AuthorizationModule.forRoot(),
  ],
  controllers: [ShopController],
  providers: [Customers, { provide: DataSource, useValue: dataSource }],
})
export class ShopModule {}
