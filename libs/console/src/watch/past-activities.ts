import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NodeRpc, nodeSubject } from 'rookery/channels';
import { ConsoleSettings } from '../console.options.js';
import type { Activity } from '../contract/index.js';
import { liveFilter, type LiveQuery } from './live-query.js';
import { withoutPayload } from './activity.js';
import { TraceAnswers } from './trace-answers.js';

const recentActivities = nodeSubject<{ readonly appId: string; readonly query: LiveQuery }, readonly Activity[]>(
  'console.recentActivities',
);
const oneActivity = nodeSubject<{ readonly appId: string; readonly id: string }, Activity | null>(
  'console.oneActivity',
);

const most = 300;
const maxCharacters = 512 * 1024;

/** What the processes still know about the last minutes. */
@Injectable()
export class PastActivities implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly trace: TraceAnswers,
    private readonly settings: ConsoleSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(recentActivities, ({ appId, query }) => this.ownRecent(appId, query));
    this.calls.on(oneActivity, ({ appId, id }) => this.ownOne(appId, id));
  }

  /** The latest activities of all processes that match the query, in order. */
  async recent(appId: string, query: LiveQuery): Promise<readonly Activity[]> {
    const { answers } = await this.calls.askAll(recentActivities, { appId, query });
    return (
      answers
        // The order of those of one millisecond stays: the latest come first.
        .flatMap(({ answer }) => answer.toReversed())
        .toSorted((left, right) => left.at - right.at)
        .slice(-most)
    );
  }

  async one(appId: string, id: string): Promise<Activity | undefined> {
    const { answers } = await this.calls.askAll(oneActivity, { appId, id });
    return answers.find(({ answer }) => answer !== null)?.answer ?? undefined;
  }

  /** Where payloads are hidden, a filter does not match them either: otherwise it would reveal them. */
  shown(activities: readonly Activity[], isWanted: (activity: Activity) => boolean): readonly Activity[] {
    return (this.settings.hidePayloads ? activities.map(withoutPayload) : activities).filter(isWanted);
  }

  private ownRecent(appId: string, query: LiveQuery): readonly Activity[] {
    const isWanted = liveFilter(query);
    let characters = 0;
    const isShown = (activity: Activity): boolean => this.shown([activity], isWanted).length > 0;
    const found = this.trace.recent(appId, isShown, most);
    const few = found.filter(({ data }) => (characters += data?.length ?? 0) <= maxCharacters);
    return this.shown(few, () => true);
  }

  private ownOne(appId: string, id: string): Activity | null {
    const found = this.trace.activity(appId, id);
    return found ? this.shown([found], () => true)[0]! : null;
  }
}
