import { Get, Query } from '@nestjs/common';
import { PathTail } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import type { App } from 'rookery/channels';
import { InApp } from '../channels/app-in-path.js';
import { notFound } from '../console.errors.js';
import type { Activity, Recent } from '../contract/index.js';
import { PastActivities } from './past-activities.js';
import { liveFilter } from '../watch/live-query.js';

/** `GET /console/api/apps/:app/recent` and `…/recent/:id`: the activities that the processes still keep. */
@ConsoleController('apps/:app/recent')
export class RecentController {
  constructor(private readonly past: PastActivities) {}

  @Get()
  async all(@InApp() app: App, @Query() query: Readonly<Record<string, unknown>>): Promise<Recent> {
    // A bad query is refused here rather than in each process.
    liveFilter(query);
    return { activities: (await this.past.recent(app.id, query)).toReversed() };
  }

  /** A wildcard: ids contain the name of a channel. */
  @Get('*tail')
  async one(@InApp() app: App, @PathTail() id: string): Promise<Activity> {
    const found = await this.past.one(app.id, id);
    if (!found) throw notFound('The activity');
    return found;
  }
}
