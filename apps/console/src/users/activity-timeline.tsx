import type { Timeline as Known } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { timeOfDay } from '../parts/time.js';
import { Timeline, type TimelineStep } from '../parts/timeline.js';
import { activityLine } from '../live/summary-words.js';

/** All that happened with a connection or a user, the latest first, and since when nothing of it is missing. */
export function ActivityTimeline(props: { readonly value: Known; readonly more?: readonly TimelineStep[] }) {
  const { value, more = [] } = props;
  const { activities, completeSince, missingNodes } = value;
  const own = activities.map((each) => ({ at: each.at, text: activityLine(each) }));
  const all = [...own, ...more].toSorted((left, right) => right.at - left.at);
  const isComplete = ({ at }: TimelineStep): boolean => completeSince !== null && at >= completeSince;
  const known = all.filter(isComplete);
  const earlier = all.filter((each) => !isComplete(each));
  const since = completeSince === null ? null : timeOfDay(completeSince);
  return (
    <>
      {missingNodes > 0 && (
        <p class="soft">{counted(missingNodes, 'process', 'processes')} did not answer: activity there is missing.</p>
      )}
      {known.length > 0 && <Timeline value={known} />}
      <p class="soft">
        {since === null
          ? 'Connections and events are not recorded: console.traceBytes is 0.'
          : known.length === 0
            ? `Nothing since ${since}.`
            : `Complete since ${since}.`}
        {earlier.length > 0 && since !== null && ' Earlier activity is incomplete:'}
      </p>
      {earlier.length > 0 && <Timeline value={earlier} />}
    </>
  );
}
