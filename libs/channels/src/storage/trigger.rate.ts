import type { Awaitable } from 'rookery/common';

/**
 * Limits how many events an app triggers in a second, over all processes that share it.
 *
 * `take` counts `events` and answers true if at most `limit` have been counted for the app in the second that ends now;
 * otherwise it answers false and counts none. So no second, wherever it begins, has more events. A call with more
 * events than the limit counts as the limit. It is atomic, counts each app separately, and allows the limit to change.
 */
export abstract class TriggerRate {
  abstract take(appId: string, limit: number, events: number): Awaitable<boolean>;
}
