import { HttpException, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { QuietLog } from '#common';
import type { App } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import type { BrokerEvent, Position, Topic } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import type { ChannelObserver } from '../../hub/channel-observer.js';
import { Hub } from '../../hub/hub.js';
import type { ChannelName } from '../../protocol/channel-name.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { StateReads, type Snapshot } from './state-reads.js';
import { type FoundMethod, StateMethods } from './state-methods.js';
import { stateTexts } from './state-texts.js';
import { TimedReads } from './timed-reads.js';

/** A channel with subscribers here. */
interface StatefulChannel {
  readonly method: FoundMethod;
  readonly reads: StateReads;
}

/** The states of the channels that have connections in this process, as the host's methods read them. */
@Injectable()
export class ChannelStates implements ChannelObserver, OnModuleInit, OnApplicationShutdown {
  private readonly faults: QuietLog;
  /** By app and channel; undefined for channels without a state. */
  private readonly apps = new Map<string, Map<string, StatefulChannel | undefined>>();
  private readonly reads: TimedReads;

  constructor(
    private readonly hub: Hub,
    private readonly methods: StateMethods,
    private readonly settings: ChannelsSettings,
  ) {
    const { concurrency, timeoutMs } = settings.states;
    const logger = new Logger('Channels');
    this.faults = new QuietLog((line) => logger.error(line));
    this.reads = new TimedReads(concurrency, timeoutMs);
  }

  /** Not registered as an observer without a `@ChannelState`. */
  async onModuleInit(): Promise<void> {
    await this.methods.collect();
    if (!this.methods.isEmpty) this.hub.observe(this);
  }

  onApplicationShutdown(): void {
    this.faults.end();
  }

  /**
   * The state for a connection whose messages are held; undefined, at once, for a channel without a state.
   * @throws ProtocolError 503 when it cannot be read, and HTTP exceptions of the method
   */
  of({ app, network, socketId }: Connection, channel: ChannelName): Promise<Snapshot> | undefined {
    if (this.methods.isEmpty || channel.isCache || channel.isEncrypted) return undefined;
    const found = this.find(app.id, channel.name);
    return found?.reads.snapshot(network?.name ?? socketId, () => this.texts(app, channel.name, found.method));
  }

  delivered({ appId, channel, change }: BrokerEvent, position: Position): void {
    // Members and counts are no part of the host's state.
    if (!change) this.find(appId, channel)?.reads.passed(position);
  }

  /** Its connections are closed with 4200: they get the state when they reconnect. */
  lost(topic: Topic): void {
    const found = this.find(topic.appId, topic.channel);
    if (!found) return;
    found.reads.lost();
    for (const connection of this.hub.on(topic)) connection.close(ProtocolError.reconnect());
  }

  closed({ appId, channel }: Topic): void {
    const channels = this.apps.get(appId);
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
  }

  private find(appId: string, channel: string): StatefulChannel | undefined {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map<string, StatefulChannel | undefined>()));
    if (channels.has(channel)) return channels.get(channel);
    const method = this.methods.find(channel);
    const { shareMs } = this.settings.states;
    const found = method && {
      method,
      reads: new StateReads(shareMs, (client, read) =>
        this.reads.run(appId, client, read).catch((error: unknown) => {
          throw this.refusal(error, appId, channel, method);
        }),
      ),
    };
    channels.set(channel, found);
    return found;
  }

  private async texts(app: App, channel: string, { read, params }: FoundMethod): Promise<readonly string[]> {
    const { states, limits } = this.settings;
    // JSON has no undefined.
    const json = JSON.stringify((await read({ appId: app.id, channel, params })) ?? null);
    const bytes = Buffer.byteLength(json);
    if (bytes > states.bytes) throw new Error(`it has ${bytes} bytes, more than states.bytes (${states.bytes})`);
    // A slow client may have a quarter of its queue waiting: more is sent in pieces, as fast as it reads.
    return stateTexts(channel, json, { whole: limits.queuedBytes / 4, piece: limitsOf(app, limits).eventDataBytes });
  }

  /** Called once for all who share a read. */
  private refusal(error: unknown, appId: string, channel: string, { name }: FoundMethod): unknown {
    if (error instanceof HttpException && error.getStatus() < 500) return error;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.faults.add(`${name} did not read the state of ${channel} (app ${appId}): ${reason}`);
    return ProtocolError.refused(`The state of ${channel} cannot be read`, null, 503);
  }
}
