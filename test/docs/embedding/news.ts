import { Injectable } from '@nestjs/common';
import { EventsService } from 'rookery/channels';

@Injectable()
export class News {
  constructor(private readonly events: EventsService) {}

  async tell(headline: string) {
    await this.events.trigger('app-id', { channel: 'news', name: 'headline', data: { headline } });
  }
}
