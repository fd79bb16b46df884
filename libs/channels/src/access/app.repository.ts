import type { Awaitable, Found } from '#common';
import type { AppConfig } from '../app/app.js';

/**
 * The source of apps. Both methods answer the one app with that id, or with that key (`key` or one of `keys`), or
 * nothing (`undefined` or `null`) when there is none; ids and keys are compared exactly. They are called for every
 * request and every connection, so an implementation with a remote source should cache briefly. Id, key and secret are
 * enough: an omitted or `undefined` setting takes its default. An answered object must not change any more; an app
 * whose settings change is a new object.
 */
export abstract class AppRepository {
  abstract findById(id: string): Awaitable<Found<AppConfig>>;
  abstract findByKey(key: string): Awaitable<Found<AppConfig>>;

  /**
   * Calls `changed` with the ids of apps that were changed or removed, as soon as the other methods answer the new
   * state. Open connections then adopt the change. Without this method, a change applies only to later connections.
   */
  watch?(changed: (appIds: readonly string[]) => void): void;
}
