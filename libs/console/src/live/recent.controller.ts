import { Get, Param, Query, UseGuards } from '@nestjs/common';
import { PathTail, RookeryController } from '#http';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import { notFound } from '../console.errors.js';
import type { Activity, Recent } from '../contract/index.js';
import { PastActivities } from '../watch/past-activities.js';
import { liveFilter } from '../watch/live-query.js';

/** `GET /console/api/apps/:app/recent` and `…/recent/:id`: the activities that the processes still keep. */
@RookeryController('console/api/apps/:app/recent')
@UseGuards(ConsoleGuard)
export class RecentController {
  constructor(
    private readonly apps: AppInPath,
    private readonly past: PastActivities,
  ) {}

  @Get()
  async all(@Param('app') id: string, @Query() query: Readonly<Record<string, unknown>>): Promise<Recent> {
    const app = await this.apps.find(id);
    // A bad query is refused here rather than in each process.
    liveFilter(query);
    return { activities: (await this.past.recent(app.id, query)).toReversed() };
  }

  /** A wildcard: ids contain the name of a channel. */
  @Get('*tail')
  async one(@Param('app') app: string, @PathTail() id: string): Promise<Activity> {
    const found = await this.past.one((await this.apps.find(app)).id, id);
    if (!found) throw notFound('The activity');
    return found;
  }
}
