import {
  Body,
  ConflictException,
  Controller,
  ForbiddenException,
  Injectable,
  NotFoundException,
  type OnModuleInit,
  Param,
  ParseIntPipe,
  Post,
  UseGuards,
} from '@nestjs/common';
import { CurrentUser } from 'rookery/authorization';
import { ChannelState, EventsService, type StateRequest } from 'rookery/channels';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { appId } from './app-id.js';
import { LoginGuard, type User } from './login.guard.js';
import { Order, states } from './order.entity.js';
import { Product } from './product.entity.js';

@Injectable()
export class Orders implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: EventsService,
  ) {}

  async onModuleInit(): Promise<void> {
    const shelf = [
      { name: 'bread', left: 12 },
      { name: 'cake', left: 1 },
    ];
    await this.dataSource.createQueryBuilder().insert().into(Product).values(shelf).orIgnore().execute();
  }

  /** What the page of a customer shows first; then it follows the events. */
  @ChannelState('private-customer.{customer}')
  ofCustomer({ params: { customer } }: StateRequest): Promise<Order[]> {
    return this.latest({ customer: customer! });
  }

  @ChannelState('private-bakery')
  ofAll(): Promise<Order[]> {
    return this.latest({});
  }

  /** When nothing is left, there is no order, and no event was sent. */
  place(customer: string, name: string): Promise<Order> {
    return this.dataSource.transaction(async (manager) => {
      const order = await manager.save(Order, manager.create(Order, { customer, product: name }));
      await this.tell(order, manager);
      const product = await manager.findOneBy(Product, { name });
      if (!product) throw new NotFoundException(`There is no ${name}`);
      if (product.left === 0) throw new ConflictException(`There is no ${name} left`);
      await manager.decrement(Product, { name }, 'left', 1);
      return order;
    });
  }

  advance(id: number): Promise<Order> {
    return this.dataSource.transaction(async (manager) => {
      const order = await manager.findOneBy(Order, { id });
      if (!order) throw new NotFoundException(`There is no order ${id}`);
      order.state = states[states.indexOf(order.state) + 1] ?? order.state;
      await manager.save(order);
      await this.tell(order, manager);
      return order;
    });
  }

  private latest(where: FindOptionsWhere<Order>): Promise<Order[]> {
    return this.dataSource.getRepository(Order).find({ where, order: { id: 'DESC' }, take: 100 });
  }

  private async tell(order: Order, within: EntityManager): Promise<void> {
    const channels = [`private-customer.${order.customer}`, 'private-bakery'];
    await this.events.trigger(appId, { name: 'order', channels, data: { ...order } }, { within });
  }
}

@Controller('orders')
@UseGuards(LoginGuard)
export class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Post()
  place(@CurrentUser() user: User, @Body('product') product: unknown): Promise<Order> {
    return this.orders.place(user.id, String(product));
  }

  @Post(':id/advance')
  advance(@CurrentUser() user: User, @Param('id', ParseIntPipe) id: number): Promise<Order> {
    if (!user.isStaff) throw new ForbiddenException('The bakery says when it is done');
    return this.orders.advance(id);
  }
}
