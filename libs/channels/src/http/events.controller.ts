import { HttpCode, Post } from '@nestjs/common';
import type { App } from '../access/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { type BatchAnswer, EventsService, type TriggerAnswer } from '../events/events.service.js';
import type { TriggerBatch, TriggerEvent } from '../events/trigger-event.js';
import { ChannelsApi } from './channels-api.js';

@ChannelsApi()
export class EventsController {
  constructor(private readonly events: EventsService) {}

  /** api § POST /apps/<app_id>/events */
  @Post('events')
  @HttpCode(200)
  trigger(@CurrentApp() app: App, @Parameters() event: TriggerEvent): Promise<TriggerAnswer> {
    return this.events.trigger(app, event);
  }

  /** api § POST /apps/<app_id>/batch_events */
  @Post('batch_events')
  @HttpCode(200)
  triggerBatch(@CurrentApp() app: App, @Parameters() { batch }: TriggerBatch): Promise<BatchAnswer> {
    return this.events.triggerBatch(app, batch);
  }
}
