import type { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, type ExecutionContext, Get, Query, StreamableFile } from '@nestjs/common';
import { ChannelRepository, type App } from 'rookery/channels';
import { ThisNode } from 'rookery/internal/common';
import { ConsoleAccess } from '../access/console-access.js';
import { Context } from '../access/console-request.js';
import { ConsoleController, ConsoleHeaders } from '../access/console.guard.js';
import { InApp } from '../channels/app-in-path.js';
import { ConsoleError } from '../console.errors.js';
import type { Activity } from '../contract/index.js';
import { nowhere, PastActivities } from './past-activities.js';
import { liveFilter, type LiveQuery } from '../watch/live-query.js';
import { liveStream } from './live-stream.js';

/** The most viewers at one process. */
const maxStreams = 50;

/** `GET /console/api/apps/:app/live`: streams activities from all processes, beginning with the latest past ones. */
@ConsoleController('apps/:app/live')
export class LiveController implements BeforeApplicationShutdown {
  private readonly streams = new Set<Readable>();

  constructor(
    private readonly channels: ChannelRepository,
    private readonly node: ThisNode,
    private readonly headers: ConsoleHeaders,
    private readonly access: ConsoleAccess,
    private readonly past: PastActivities,
  ) {}

  @Get()
  async live(
    @InApp() app: App,
    @Query() query: Readonly<Record<string, unknown>>,
    @Context() context: ExecutionContext,
  ): Promise<StreamableFile> {
    // A bad query is refused here rather than in each process.
    liveFilter(query);
    if (this.streams.size >= maxStreams)
      throw new ConsoleError(503, `${maxStreams} pages are open already.`, { 'retry-after': '10' });
    const stream = liveStream({
      next: this.following(app.id, query),
      nodes: () => this.node.others + 1,
      mayLook: () => this.access.isStillIn(context),
    });
    this.streams.add(stream);
    stream.once('close', () => this.streams.delete(stream));
    // For nginx, which would otherwise buffer it.
    this.headers.set(context, { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }

  /** Open streams would delay the shutdown of the process. */
  beforeApplicationShutdown(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** Answers the past at the first call, and then what is new. */
  private following(appId: string, query: LiveQuery) {
    let known = nowhere;
    return async () => {
      const { activities, dropped, cursors } = await this.past.since(appId, query, known);
      const isPast = known === nowhere;
      known = cursors;
      // How many past events reached is not known any more.
      return { activities: isPast ? activities : await this.counted(appId, activities), dropped };
    };
  }

  /** Adds the number of subscriptions to events, if it can be determined. */
  private async counted(appId: string, activities: readonly Activity[]): Promise<readonly Activity[]> {
    const named = activities.flatMap(({ kind, channel }) => (kind.endsWith('event') && channel ? [channel] : []));
    const names = [...new Set(named)].filter((name) => !name.startsWith('#'));
    if (names.length === 0) return activities;
    try {
      const counts = await this.channels.subscriptionCounts(appId, names);
      const byName = new Map(names.map((name, i) => [name, counts[i] ?? 0]));
      return activities.map((each) => {
        const reached = each.kind.endsWith('event') ? byName.get(each.channel ?? '') : undefined;
        return reached === undefined ? each : { ...each, reached };
      });
    } catch {
      return activities;
    }
  }
}
