import { Body, Controller, Get, Headers, Param, Post, UnprocessableEntityException } from '@nestjs/common';
import { PublishService, RookeryError } from 'rookery/publish';
import { instance } from './settings.js';

@Controller('news')
export class NewsController {
  constructor(private readonly publishes: PublishService) {}

  /** Publishes to all subscribers; answers `{ publishId }`. What is too long for a push is answered 422 with the reason. */
  @Post()
  async tell(@Body() { title, body }: { title?: string; body?: string }, @Headers('origin') origin?: string) {
    const notification = { title, body, deep_link: origin };
    try {
      return await this.publishes.publishToInterests(instance.id, { interests: ['news'], web: { notification } });
    } catch (error) {
      // Without this, the page would be answered 500: Rookery does not know that the client wrote the title.
      if (error instanceof RookeryError) throw new UnprocessableEntityException(error.message);
      throw error;
    }
  }

  /** How many devices got it, and how many opened it. */
  @Get(':publishId')
  status(@Param('publishId') publishId: string) {
    return this.publishes.status(instance.id, publishId);
  }
}
