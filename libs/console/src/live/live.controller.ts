import { type BeforeApplicationShutdown, type ExecutionContext, Get, Query, StreamableFile } from '@nestjs/common';
import { ChannelRepository, type App } from 'rookery/channels';
import { ThisNode } from '#common';
import { ConsoleAccess } from '../access/console-access.js';
import { Context } from '../access/console-request.js';
import { ConsoleController, ConsoleHeaders } from '../access/console.guard.js';
import { InApp } from '../channels/app-in-path.js';
import { ConsoleError } from '../console.errors.js';
import type { Activity } from '../contract/index.js';
import { LiveViews } from '../watch/live-views.js';
import type { ActivityMessage } from '../watch/activity-reporter.js';
import { PastActivities } from '../watch/past-activities.js';
import { type LiveFilter, liveFilter, type LiveQuery } from '../watch/live-query.js';
import { LiveStream } from './live-stream.js';

/** The most viewers at one process. */
const maxStreams = 50;

/** `GET /console/api/apps/:app/live`: streams activities from all processes, beginning with the latest past ones. */
@ConsoleController('apps/:app/live')
export class LiveController implements BeforeApplicationShutdown {
  private readonly streams = new Set<LiveStream>();

  constructor(
    private readonly liveViews: LiveViews,
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
    const filter = liveFilter(query);
    if (this.streams.size >= maxStreams)
      throw new ConsoleError(503, `${maxStreams} pages are open already.`, { 'retry-after': '10' });
    const stream = new LiveStream(
      () => this.node.others + 1,
      () => this.access.isStillIn(context),
    );
    this.streams.add(stream);
    // Activities that come meanwhile wait for the past.
    let past: Promise<ReadonlySet<string>> | undefined;
    const end = this.liveViews.hear(
      app.id,
      (word) => void past?.then((known) => this.pass(word, filter, known, stream)),
    );
    past = this.begin(app.id, query, stream);
    stream.once('close', () => {
      end();
      this.streams.delete(stream);
    });
    // For nginx, which would otherwise buffer it.
    this.headers.set(context, { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }

  /** Open streams would delay the shutdown of the process. */
  beforeApplicationShutdown(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** @returns the ids of the past activities that the viewer was told first */
  private async begin(appId: string, query: LiveQuery, stream: LiveStream): Promise<ReadonlySet<string>> {
    try {
      const past = await this.past.recent(appId, query);
      stream.send(past, 0);
      return new Set(past.map(({ id }) => id));
    } catch {
      // The other processes are out of reach; the viewer sees what happens from now on.
      return new Set();
    }
  }

  private async pass(
    { appId, activities, dropped }: ActivityMessage,
    filter: LiveFilter,
    known: ReadonlySet<string>,
    stream: LiveStream,
  ) {
    const shown = this.past.shown(activities, filter).filter(({ id }) => !known.has(id));
    stream.send(await this.counted(appId, shown), dropped);
  }

  /** Adds the number of subscriptions to events, if it can be determined. */
  private async counted(appId: string, activities: readonly Activity[]): Promise<readonly Activity[]> {
    const named = activities.flatMap(({ kind, channel }) =>
      (kind === 'event' || kind === 'client_event') && channel !== undefined && !channel.startsWith('#')
        ? [channel]
        : [],
    );
    const names = [...new Set(named)];
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
