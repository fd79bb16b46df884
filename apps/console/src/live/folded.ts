import type { Activity } from '../api/contract.js';
import { kindNames, wasTaken } from './summary-words.js';

/** A line of the list. */
export interface Line extends Activity {
  /** How many earlier attempts of the same endpoint failed, too, and have no line of their own. */
  readonly earlier?: number;
}

/**
 * Attempts of webhooks that an endpoint does not accept are one line, the latest, until it accepts one: an endpoint that
 * is down fails many times a minute.
 * @param activities the oldest first
 */
export function folded(activities: readonly Activity[]): readonly Line[] {
  const lines: Line[] = [];
  /** Where the line of an endpoint is that fails, seen from now backwards. */
  const failing = new Map<string, number>();
  for (const activity of activities.toReversed()) {
    const url = hasFailed(activity) ? activity.webhook?.url : undefined;
    const at = url === undefined ? undefined : failing.get(url);
    if (at !== undefined) {
      const line = lines[at]!;
      lines[at] = { ...line, earlier: (line.earlier ?? 0) + 1 };
      continue;
    }
    if (url !== undefined) failing.set(url, lines.length);
    else if (activity.webhook && wasTaken(activity)) failing.delete(activity.webhook.url);
    lines.push(activity);
  }
  return lines.toReversed();
}

/** The tone of the badge: that of its kind, and for webhooks that of the answer. */
export const toneOf = (activity: Activity): string =>
  hasFailed(activity) ? 'bad' : wasTaken(activity) ? 'good' : (kindNames[activity.kind]?.[1] ?? '');

/** Whether the endpoint of a webhook did not accept it, or could not be reached. */
export const hasFailed = (activity: Activity): boolean =>
  activity.webhook !== undefined &&
  !wasTaken(activity) &&
  (activity.webhook.status !== null || activity.webhook.error !== null);
