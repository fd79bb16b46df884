import type { Awaitable, Found } from 'rookery/common';
import type { AppConfig } from './app.js';

/**
 * Where apps come from. Both methods answer the one app of that id, or of which that is one of its keys (`key` or one
 * of `keys`), or nothing (`undefined` or `null`) when there is none; ids and keys are compared exactly. They are called for every request and every connection, so an implementation that looks
 * elsewhere should remember for a moment what it found. Id, key and secret are enough: what an app leaves out, or has as
 * `undefined`, takes its default. What was answered is not changed any more; an app with other settings is another
 * object.
 */
export abstract class AppRepository {
  abstract findById(id: string): Awaitable<Found<AppConfig>>;
  abstract findByKey(key: string): Awaitable<Found<AppConfig>>;

  /**
   * Has `changed` called with the ids of apps that are not what they were, or are gone, as soon as the other methods
   * answer so. Open connections take up what changed. Where nobody tells, it holds for what comes later alone.
   */
  watch?(changed: (appIds: readonly string[]) => void): void;
}
