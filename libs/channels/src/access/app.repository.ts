import type { Awaitable, EditableSettings, Found } from '#common';
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

  /**
   * Edits apps while they are served; absent where they cannot be edited. This process sees a change when the call
   * settles, every other process within a second; both call those that {@link watch}. It does not validate settings.
   *
   * - `all` answers every app, ordered by id; `read` answers the current state of one.
   * - `save` adds an app, or replaces the one of its id; `remove` does nothing where there is none.
   * - With `version`, only an app of that version is replaced or removed; 0 means that the app must not exist yet. Of
   *   several concurrent calls with the same version, one succeeds.
   * - They throw SettingsConflict, and change nothing, when the version differs, or when another app has one of the app's
   *   keys (`key` or one of `keys`).
   */
  readonly editing?: EditableSettings<AppConfig>;
}
