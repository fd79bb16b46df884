import { Injectable, type OnModuleInit } from '@nestjs/common';
import { limitsOf } from '../../app/app-limits.js';
import { historyOf, streamsOf } from '../../app/history-rule.js';
import { Broker, type BrokerEvent, type Position, type Topic } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { SharedTexts } from '../../connections/shared-text.js';
import type { ChannelObserver } from '../../hub/channel-observer.js';
import { Hub } from '../../hub/hub.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { ChannelStreams, type Streamed } from './channel-streams.js';

/** The streams of the channels that have connections in this process. */
@Injectable()
export class LiveStreams implements ChannelObserver, OnModuleInit {
  private readonly apps = new Map<string, Map<string, ChannelStreams>>();
  private readonly texts = new SharedTexts();
  private silentStream: (topic: Topic, stream: Streamed) => void = () => {};

  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    this.hub.observe(this);
  }

  /** Sets the listener for streams whose senders are silent for too long. */
  whenSilent(listener: (topic: Topic, stream: Streamed) => void): void {
    this.silentStream = listener;
  }

  /**
   * The streams of a channel that the connection is about to join; undefined where the channel carries none. Read from
   * the history once for all connections of this process.
   */
  on({ app }: Connection, channel: string): ChannelStreams | undefined {
    const bounds = streamsOf(app, channel, this.settings.limits);
    if (!bounds || !this.hub.has(app.id, channel)) return undefined;
    let channels = this.apps.get(app.id);
    if (!channels) this.apps.set(app.id, (channels = new Map()));
    let streams = channels.get(channel);
    if (streams) return streams;
    streams = new ChannelStreams({
      channel,
      bounds,
      dataBytes: limitsOf(app, this.settings.limits).eventDataBytes,
      texts: this.texts,
      // Longer than the sender waits: it decides first.
      silenceMs: this.settings.streams.timeoutSeconds * 1250,
      read: async (limit, after) => this.broker.history(app.id, channel, limit, after),
      silent: (stream) => this.silentStream({ appId: app.id, channel }, stream),
    });
    channels.set(channel, streams);
    return streams;
  }

  delivered({ appId, channel, text }: BrokerEvent, position: Position): void {
    this.apps.get(appId)?.get(channel)?.passed(text, position);
  }

  /** Its connections are closed with 4200: they get what they miss when they reconnect. */
  lost(topic: Topic): void {
    const streams = this.apps.get(topic.appId)?.get(topic.channel);
    if (!streams) return;
    streams.mayLack();
    for (const connection of this.hub.on(topic))
      if (historyOf(connection.app, topic.channel, this.settings.limits)) connection.close(ProtocolError.reconnect());
  }

  closed({ appId, channel }: Topic): void {
    const channels = this.apps.get(appId);
    channels?.get(channel)?.close();
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
  }
}
