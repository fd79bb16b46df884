import type { OwnTimeline, Timeline } from '../contract/index.js';
import { withoutPayload } from './activity.js';

/** The timelines of all processes in one, the latest first. */
export function timelineOfAll(
  answers: readonly (OwnTimeline | null)[],
  missingNodes: number,
  { most, hidePayloads }: { readonly most: number; readonly hidePayloads: boolean },
): Timeline {
  const own = answers.filter((answer) => answer !== null);
  const all = own.flatMap(({ activities }) => activities).toSorted((left, right) => right.at - left.at);
  const shown = all.slice(0, most);
  const since = own.flatMap(({ completeSince }) => completeSince ?? []);
  if (shown.length < all.length) since.push(shown.at(-1)!.at);
  return {
    activities: hidePayloads ? shown.map(withoutPayload) : shown,
    completeSince: since.length === 0 ? null : Math.max(...since),
    missingNodes,
  };
}
