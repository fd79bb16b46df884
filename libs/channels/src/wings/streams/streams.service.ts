import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { streamsOf } from '../../app/history-rule.js';
import { limitsOf } from '../../app/app-limits.js';
import type { AppOrId } from '../../app/app.js';
import type { Topic } from '../../broker/broker.js';
import { badRequest, noStreams } from '../../channels.errors.js';
import { ChannelsSettings } from '../../channels.options.js';
import { EventsService } from '../../events/events.service.js';
import { checkTrigger } from '../../events/trigger-request.js';
import { isStreamId } from '../../protocol/stream-piece.js';
import { EventStream } from './event-stream.js';

/** Options of a stream. */
export interface StreamOptions {
  /** @default that of the module */
  readonly app?: AppOrId;
  /** Names the stream in its events; unique on its channel. @default a random one */
  readonly id?: string;
}

const maxEndMs = 2000;

/** Begins streams, and ends those that this process leaves unfinished. */
@Injectable()
export class StreamsService implements OnModuleDestroy {
  /** The streams of this process, with their channels. */
  private readonly streams = new Map<EventStream, Topic>();

  constructor(
    private readonly events: EventsService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Begins a stream: a text that listeners get as it comes into being, such as an AI's answer. Later
   * subscribers and returning clients get what was said so far, then the rest. Needs a history with `streams: true` on the channel.
   * @param name of the events; see {@link StreamPiece} for their data
   * @throws ChannelsApiError 400 for a channel that carries no streams
   * @throws Error when there are several apps and none is named
   */
  async begin(channel: string, name: string, options: StreamOptions = {}): Promise<EventStream> {
    const { app: named = this.events.defaultApp, id = randomUUID() } = options;
    if (named === undefined) throw new Error('StreamsService: which app? Write begin(channel, name, { app })');
    const app = await this.events.appOf(named);
    const limits = limitsOf(app, this.settings.limits);
    const event = checkTrigger({ name, channel, data: '' }, limits);
    const { isEncrypted, access } = event.channels[0]!;
    const bounds = streamsOf(app, channel, this.settings.limits);
    if (!bounds || isEncrypted || access === 'user' || name.startsWith('client-')) throw noStreams(channel, name);
    if (!isStreamId(id)) throw badRequest('The id of a stream must be a text of 1 to 200 characters');
    const stream = new EventStream(id, {
      bounds,
      dataBytes: limits.eventDataBytes,
      joinMs: this.settings.streams.joinMs,
      timeoutMs: this.settings.streams.timeoutSeconds * 1000,
      send: (pieces) =>
        this.events.send(
          app,
          pieces.map((data) => ({ ...event, data })),
        ),
      closed: () => void this.streams.delete(stream),
    });
    this.streams.set(stream, { appId: app.id, channel });
    return stream;
  }

  /** A stream that this process sends. */
  find({ appId, channel, stream: id }: Topic & { readonly stream: string }): EventStream | undefined {
    for (const [stream, on] of this.streams)
      if (stream.id === id && on.channel === channel && on.appId === appId) return stream;
    return undefined;
  }

  /** Ends the streams that this process leaves unfinished, while their listeners are still connected. */
  async onModuleDestroy(): Promise<void> {
    if (this.streams.size === 0) return;
    const ended = Promise.allSettled(Array.from(this.streams.keys(), (stream) => stream.fail()));
    // The broker may be away.
    await Promise.race([ended, delay(maxEndMs, undefined, { ref: false })]);
    // What is sent now is written to the connections in the next turn.
    await nextTurn();
  }
}
