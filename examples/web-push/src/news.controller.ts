import { Body, Controller, Get, Headers, Param, Post } from '@nestjs/common';
import { PublishService } from 'rookery/publish';
import { instance } from './settings.js';

@Controller('news')
export class NewsController {
  constructor(private readonly publishes: PublishService) {}

  /** To all who subscribed; answers `{ publishId }`. What makes no sense is refused by Rookery, in plain words. */
  @Post()
  tell(@Body() { title, body }: { title?: string; body?: string }, @Headers('origin') origin?: string) {
    const notification = { title, body, deep_link: origin };
    return this.publishes.publishToInterests(instance.id, { interests: ['news'], web: { notification } });
  }

  /** How many got it, and how many opened it. */
  @Get(':publishId')
  status(@Param('publishId') publishId: string) {
    return this.publishes.status(instance.id, publishId);
  }
}
