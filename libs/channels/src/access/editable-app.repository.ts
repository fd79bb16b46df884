import type { Kept } from 'rookery/common';
import type { AppConfig } from './app.js';
import { AppRepository } from './app.repository.js';

/**
 * Apps that are changed while they are served. What was changed, this process finds when the call settles, and every
 * other one within a second; both tell those who {@link watch}. It does not check the settings of an app.
 *
 * - `all` answers every app, in the order of their ids; `read` one, as it is kept right now.
 * - `save` adds an app, or replaces the one of its id; `remove` does nothing where there is none.
 * - With `version`, only the app of that version is replaced or removed; 0: only one that is not there is added. Of
 *   several calls at once with the same version one succeeds.
 * - They throw SettingsConflict, and change nothing, when the version is another, or when another app has one of the
 *   app's keys (`key` or one of `keys`).
 */
export abstract class EditableAppRepository extends AppRepository {
  abstract all(): Promise<readonly Kept<AppConfig>[]>;
  abstract read(id: string): Promise<Kept<AppConfig> | undefined>;
  abstract save(app: AppConfig, version?: number): Promise<void>;
  abstract remove(id: string, version?: number): Promise<void>;
}
