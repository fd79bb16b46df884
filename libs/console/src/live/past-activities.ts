import { Injectable } from '@nestjs/common';
import type { Activity } from '../contract/index.js';
import { Processes } from '../processes/processes.js';
import type { LiveQuery } from '../watch/live-query.js';
import { type Cursors, mostPast } from '../watch/own-activities.js';

/** Of a viewer who begins with the past. */
export const nowhere: Cursors = {};

/** What the processes still know about the last minutes. */
@Injectable()
export class PastActivities {
  constructor(private readonly processes: Processes) {}

  /** The latest activities of all processes that match the query, in order. */
  async recent(appId: string, query: LiveQuery): Promise<readonly Activity[]> {
    return (await this.since(appId, query, nowhere)).activities;
  }

  /** Those that came after a place, in order; and the place up to which a viewer knows them then. */
  async since(appId: string, query: LiveQuery, after: Cursors) {
    const { answers } = await this.processes.read('recent', { appId, query, after });
    // The order of those of one millisecond stays: the latest come first.
    const found = answers.flatMap(({ answer }) => answer.activities.toReversed());
    const activities = found.toSorted((left, right) => left.at - right.at);
    const cursors = answers.map(({ node, answer }) => [node, answer.cursor] as const);
    return {
      activities: after === nowhere ? activities.slice(-mostPast) : activities,
      dropped: answers.reduce((sum, { answer }) => sum + answer.dropped, 0),
      cursors: { ...after, ...Object.fromEntries(cursors) },
    };
  }

  async one(appId: string, id: string): Promise<Activity | undefined> {
    const found = await this.processes.all('activity', { appId, id });
    return found.find((each) => each !== null) ?? undefined;
  }
}
