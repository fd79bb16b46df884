import { HttpCode, Post } from '@nestjs/common';
import { ChannelRepository, EventsService, type App } from 'rookery/channels';
import { type JsonObject } from 'rookery/internal/common';
import { JsonBody } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import { eventIdOf } from '../watch/activity.js';
import { badRequest } from '../console.errors.js';
import type { SentEvent } from '../contract/index.js';
import { InApp } from './app-in-path.js';

/** An event sent by the event creator. */
interface EventBody {
  readonly channels: readonly string[];
  readonly name: string;
  readonly data: string;
  readonly socketId?: string;
}

/** @throws ConsoleError 400; the app's limits are checked like those of any trigger */
function eventBody(body: Readonly<Record<string, unknown>>): EventBody {
  const { channels, name, data, socketId } = body;
  if (!Array.isArray(channels) || channels.length === 0 || !channels.every((each) => typeof each === 'string'))
    throw badRequest('channels must be a list of at least one name.');
  if (typeof name !== 'string' || name === '') throw badRequest('name must be a text that is not empty.');
  if (typeof data !== 'string') throw badRequest('data must be a text.');
  if (socketId !== undefined && typeof socketId !== 'string') throw badRequest('socketId must be a text.');
  return { channels, name, data, ...(socketId !== undefined && socketId !== '' && { socketId }) };
}

/** `POST /console/api/apps/:app/events`: the event creator. */
@ConsoleController('apps/:app/events')
export class ConsoleEventsController {
  constructor(
    private readonly events: EventsService,
    private readonly channels: ChannelRepository,
  ) {}

  /** Returns the event's id in its first channel, for later questions about its delivery, and who was there for it. */
  @Post()
  @HttpCode(200)
  async send(@InApp() app: App, @JsonBody() body: JsonObject): Promise<SentEvent> {
    const { channels, socketId, ...event } = eventBody(body);
    const except = socketId === undefined ? {} : { socket_id: socketId };
    const [position = ''] = await this.events.triggerPlaced(app, { ...event, channels: [...channels], ...except });
    const counts = await this.channels.subscriptionCounts(app.id, channels);
    return { id: eventIdOf(channels[0]!, position), subscriptions: counts.reduce((sum, count) => sum + count, 0) };
  }
}
