import { Controller, Post } from '@nestjs/common';
import { EventsService } from 'rookery/channels';

/** Your application would keep orders in its database. */
@Controller('orders')
export class Orders {
  private count = 0;

  constructor(private readonly events: EventsService) {}

  @Post()
  async place(): Promise<{ readonly number: number }> {
    const order = { number: ++this.count };
    await this.events.trigger('shop', { name: 'placed', channel: 'orders', data: order });
    return order;
  }
}
