import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NodeRpc, nodeSubject } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { ConsoleSettings } from '../console.options.js';
import type { Activity } from '../contract/index.js';
import { liveFilter, type LiveQuery } from './live-query.js';
import { withoutPayload } from './activity.js';
import { TraceAnswers, type TraceCursor } from './trace-answers.js';

/** Where a viewer is in each process, by its id. */
export type Cursors = Readonly<Record<string, TraceCursor>>;

/** Of a viewer who begins with the past. */
export const nowhere: Cursors = {};

interface RecentQuery {
  readonly appId: string;
  readonly query: LiveQuery;
  /** Asks a process for what came after it; one that it does not name, for its latest. */
  readonly after: Cursors;
}

interface RecentHere {
  /** The latest first. */
  readonly activities: readonly Activity[];
  readonly cursor: TraceCursor;
  /** How many came after the viewer's cursor, and were too many. */
  readonly dropped: number;
}

const recentActivities = nodeSubject<RecentQuery, RecentHere>('console.recentActivities');
const oneActivity = nodeSubject<{ readonly appId: string; readonly id: string }, Activity | null>(
  'console.oneActivity',
);

const most = 300;
/** As many events as a process keeps in a second: on a busy machine, viewers are not served more often. */
const mostNew = 2000;
const maxCharacters = 512 * 1024;

/** What the processes still know about the last minutes. */
@Injectable()
export class PastActivities implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly trace: TraceAnswers,
    private readonly settings: ConsoleSettings,
    private readonly node: ThisNode,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(recentActivities, (asked) => this.ownRecent(asked));
    this.calls.on(oneActivity, ({ appId, id }) => this.ownOne(appId, id));
  }

  /** The latest activities of all processes that match the query, in order. */
  async recent(appId: string, query: LiveQuery): Promise<readonly Activity[]> {
    return (await this.since(appId, query, nowhere)).activities;
  }

  /** Those that came after a place, in order; and the place up to which a viewer knows them then. */
  async since(appId: string, query: LiveQuery, after: Cursors) {
    const { answers } = await this.calls.askAll(recentActivities, { appId, query, after });
    // The order of those of one millisecond stays: the latest come first.
    const found = answers.flatMap(({ answer }) => answer.activities.toReversed());
    const activities = found.toSorted((left, right) => left.at - right.at);
    const cursors = answers.map(({ node, answer }) => [node, answer.cursor] as const);
    return {
      activities: after === nowhere ? activities.slice(-most) : activities,
      dropped: answers.reduce((sum, { answer }) => sum + answer.dropped, 0),
      cursors: { ...after, ...Object.fromEntries(cursors) },
    };
  }

  async one(appId: string, id: string): Promise<Activity | undefined> {
    const { answers } = await this.calls.askAll(oneActivity, { appId, id });
    return answers.find(({ answer }) => answer !== null)?.answer ?? undefined;
  }

  private ownRecent({ appId, query, after }: RecentQuery): RecentHere {
    const isWanted = liveFilter(query);
    // Where payloads are hidden, a filter does not match them either: otherwise it would reveal them.
    const isShown = (activity: Activity): boolean => isWanted(this.shown(activity));
    const known = after[this.node.id];
    const found = this.trace.recent(appId, isShown, known ? Infinity : most, known?.order);
    let characters = 0;
    const few = found.slice(0, mostNew).filter(({ data }) => (characters += data?.length ?? 0) <= maxCharacters);
    const cursor = this.trace.cursorOf(appId);
    return {
      activities: few.map((each) => this.shown(each)),
      cursor,
      dropped: known ? found.length - few.length + cursor.skipped - known.skipped : 0,
    };
  }

  private shown(activity: Activity): Activity {
    return this.settings.hidePayloads ? withoutPayload(activity) : activity;
  }

  private ownOne(appId: string, id: string): Activity | null {
    const found = this.trace.activity(appId, id);
    return found ? this.shown(found) : null;
  }
}
