import type { Awaitable } from 'rookery/common';

/** How many requests an instance may make in a second, unless it says so itself (api § Limits). */
export const requestsPerSecond = 100;

/**
 * How often an instance may publish and delete users: both count together (beams-wire §3.3).
 *
 * `take` counts a request at `now`, in epoch milliseconds, and answers 0 when it is within the rate, else the whole
 * seconds after which to come back. `perSecond` requests may come at once; each is earned back after its part of a second,
 * and never more than these. It is atomic, and instances are counted apart. A request that is refused costs nothing.
 */
export abstract class PublishRate {
  abstract take(instanceId: string, perSecond: number, now: number): Awaitable<number>;
}
