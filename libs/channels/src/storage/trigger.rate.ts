import type { Awaitable } from 'rookery/common';

/**
 * How many events an app triggers in a second, over all processes that share it.
 *
 * `take` counts `events` and answers true where no more than `limit` have been counted for the app in the second that ends
 * now, else false and counts none: there is no second with more, whichever one looks at. More than the limit at once count
 * as the limit. It is atomic, and apps are counted apart. A limit may be another than before.
 */
export abstract class TriggerRate {
  abstract take(appId: string, limit: number, events: number): Awaitable<boolean>;
}
