import { Injectable } from '@nestjs/common';
import { ThisNode } from 'rookery/internal/common';
import { ConsoleSettings } from '../console.options.js';
import type { Activity } from '../contract/index.js';
import { withoutPayload } from './activity.js';
import { liveFilter, type LiveQuery } from './live-query.js';
import { TraceAnswers, type TraceCursor } from './trace-answers.js';

/** Where a viewer is in each process, by its id. */
export type Cursors = Readonly<Record<string, TraceCursor>>;

export interface RecentQuery {
  readonly appId: string;
  readonly query: LiveQuery;
  /** Asks a process for what came after it; one that it does not name, for its latest. */
  readonly after: Cursors;
}

/** The most activities of the past, from each process and on the page. */
export const mostPast = 300;
/** As many events as a process keeps in a second: on a busy machine, viewers are not served more often. */
const mostNew = 2000;
const maxCharacters = 512 * 1024;

/** What this process still knows about the last minutes, as the console may show it. */
@Injectable()
export class OwnActivities {
  constructor(
    private readonly trace: TraceAnswers,
    private readonly settings: ConsoleSettings,
    private readonly node: ThisNode,
  ) {}

  /** The latest first; where the viewer is then; and how many came after the viewer's cursor, and were too many. */
  recent({ appId, query, after }: RecentQuery) {
    const isWanted = liveFilter(query);
    // Where payloads are hidden, a filter does not match them either: otherwise it would reveal them.
    const isShown = (activity: Activity): boolean => isWanted(this.shown(activity));
    const known = after[this.node.id];
    const found = this.trace.recent(appId, isShown, known ? Infinity : mostPast, known?.order);
    let characters = 0;
    const few = found.slice(0, mostNew).filter(({ data }) => (characters += data?.length ?? 0) <= maxCharacters);
    const cursor = this.trace.cursorOf(appId);
    return {
      activities: few.map((each) => this.shown(each)),
      cursor,
      dropped: known ? found.length - few.length + cursor.skipped - known.skipped : 0,
    };
  }

  one(appId: string, id: string): Activity | null {
    const found = this.trace.activity(appId, id);
    return found ? this.shown(found) : null;
  }

  private shown(activity: Activity): Activity {
    return this.settings.hidePayloads ? withoutPayload(activity) : activity;
  }
}
