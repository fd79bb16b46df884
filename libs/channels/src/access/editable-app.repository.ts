import type { Kept } from '#common';
import type { AppConfig } from '../app/app.js';
import { AppRepository } from './app.repository.js';

/**
 * Apps that are changed while they are served. This process sees a change when the call settles, every other process
 * within a second; both notify those that {@link watch}. It does not validate settings.
 *
 * - `all` answers every app, ordered by id; `read` answers the current state of one.
 * - `save` adds an app, or replaces the one of its id; `remove` does nothing where there is none.
 * - With `version`, only an app of that version is replaced or removed; 0 means that the app must not exist yet. Of
 *   several concurrent calls with the same version, one succeeds.
 * - They throw SettingsConflict, and change nothing, when the version differs, or when another app has one of the app's
 *   keys (`key` or one of `keys`).
 */
export abstract class EditableAppRepository extends AppRepository {
  abstract all(): Promise<readonly Kept<AppConfig>[]>;
  abstract read(id: string): Promise<Kept<AppConfig> | undefined>;
  abstract save(app: AppConfig, version?: number): Promise<void>;
  abstract remove(id: string, version?: number): Promise<void>;
}
