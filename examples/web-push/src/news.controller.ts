import { Body, Controller, Get, Headers, Param, Post } from '@nestjs/common';
import { PublishService } from 'rookery/publish';
import { instance } from './settings.js';

@Controller('news')
export class NewsController {
  constructor(private readonly publishes: PublishService) {}

  /** Publishes to all subscribers; answers `{ publishId }`. Rookery refuses invalid bodies with a clear error. */
  @Post()
  tell(@Body() { title, body }: { title?: string; body?: string }, @Headers('origin') origin?: string) {
    const notification = { title, body, deep_link: origin };
    return this.publishes.publishToInterests(instance.id, { interests: ['news'], web: { notification } });
  }

  /** How many devices got it, and how many opened it. */
  @Get(':publishId')
  status(@Param('publishId') publishId: string) {
    return this.publishes.status(instance.id, publishId);
  }
}
