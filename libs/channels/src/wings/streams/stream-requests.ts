import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isObject } from '#common';
import { streamsOf } from '../../app/history-rule.js';
import type { App } from '../../app/app.js';
import type { Topic } from '../../broker/broker.js';
import { NodeRpc, nodeSubject } from '../../broker/node-rpc.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { ClientEventStep, PublishedClientEvent } from '../../events/client-event-step.js';
import { isStreamId } from '../../protocol/stream-piece.js';
import { StreamsService } from './streams.service.js';

/** What a client asks of a stream. */
interface StreamRequest extends Topic {
  readonly stream: string;
  readonly kind: 'stop' | 'steer';
  /** What to consider from now on. */
  readonly message?: unknown;
}

const kinds: ReadonlyMap<string, StreamRequest['kind']> = new Map([
  ['client-stop', 'stop'],
  ['client-steer', 'steer'],
]);

const streamRequest = nodeSubject<StreamRequest>('streams.request');

/**
 * Takes the client events `client-stop` (`{"stream":"<id>"}`) and `client-steer` (`{"stream":"<id>","message":…}`) to
 * the process that sends the stream. Delivery is that of client events: what a broken broker loses is not repeated.
 */
@Injectable()
export class StreamRequests implements ClientEventStep, OnModuleInit {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly streams: StreamsService,
    private readonly rpc: NodeRpc,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    this.rpc.on(streamRequest, (request) => void this.handOver(request));
  }

  after(app: App, { name, channel, data }: PublishedClientEvent): void {
    const kind = kinds.get(name);
    if (!kind || !streamsOf(app, channel, this.settings.limits)) return;
    const said = parsed(data);
    if (!isObject(said) || typeof said['stream'] !== 'string' || !isStreamId(said['stream'])) return;
    const request = { appId: app.id, channel, kind, stream: said['stream'], message: said['message'] };
    if (!this.handOver(request)) this.rpc.notifyAll(streamRequest, request);
  }

  /** @returns whether this process sends the stream */
  private handOver({ kind, message, ...place }: StreamRequest): boolean {
    const stream = this.streams.find(place);
    try {
      if (kind === 'stop') stream?.stop();
      else stream?.steer(message);
    } catch (error) {
      this.logger.error(`A listener to ${kind} the stream ${place.stream} failed: ${String(error)}`);
    }
    return stream !== undefined;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
