import { HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { EventsService } from 'rookery/channels';
import { JsonBody, type JsonObject, RookeryController } from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { eventIdOf } from '../watch/activity.js';
import { AppInPath } from './app-in-path.js';
import { eventBody } from './event-body.js';

/** `POST /console/api/apps/:app/events`: the event creator. */
@RookeryController('console/api/apps/:app/events')
@UseGuards(ConsoleGuard)
export class ConsoleEventsController {
  constructor(
    private readonly apps: AppInPath,
    private readonly events: EventsService,
  ) {}

  /** Returns the event's id in its first channel, for later questions about its delivery. */
  @Post()
  @HttpCode(200)
  async send(@Param('app') id: string, @JsonBody() body: JsonObject): Promise<{ readonly id: string }> {
    const { channels, socketId, ...event } = eventBody(body);
    const app = await this.apps.findTraced(id);
    const except = socketId === undefined ? {} : { socket_id: socketId };
    const [position = ''] = await this.events.triggerPlaced(app, { ...event, channels: [...channels], ...except });
    return { id: eventIdOf(channels[0]!, position) };
  }
}
