import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { limitsOf } from '../../app/app-limits.js';
import { Apps } from '../../access/apps.js';
import type { Topic } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import { parseChannelName } from '../../protocol/channel-name.js';
import { piecesOf } from '../../protocol/stream-piece.js';
import { Throttle } from '../../throttle.js';
import { EventSender } from '../../events/event-sender.js';
import type { Streamed } from './channel-streams.js';
import { LiveStreams } from './live-streams.js';

/**
 * Ends streams whose process has died: every process with subscribers of the channel notices the silence, and one of
 * them ends the stream for all.
 */
@Injectable()
export class SilentStreams implements OnModuleInit {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly live: LiveStreams,
    private readonly apps: Apps,
    private readonly sender: EventSender,
    private readonly throttle: Throttle,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    this.live.whenSilent((topic, stream) => {
      // Its silence is noticed again.
      this.end(topic, stream).catch((error: unknown) =>
        this.logger.warn(`The silent stream ${stream.id} on ${topic.channel} was not ended: ${String(error)}`),
      );
    });
  }

  private async end({ appId, channel }: Topic, { event, id, text = '' }: Streamed): Promise<void> {
    const { limits, streams } = this.settings;
    const what = `the end of the stream ${id} on ${channel} of ${appId}`;
    if (!(await this.throttle.isFirst(what, streams.timeoutSeconds * 1000))) return;
    const app = await this.apps.findById(appId);
    const name = parseChannelName(channel, limits);
    if (!app || !name) return;
    const data = piecesOf({ stream: id, at: 0, text, end: 'timeout' }, limitsOf(app, limits).eventDataBytes);
    await Promise.all(data.map(async (each) => this.sender.send(app, name, { name: event, data: each })));
  }
}
