import { ConflictException } from '@nestjs/common';

/** Stored settings with their version, which increases with every change. */
export interface Versioned<Settings> {
  readonly settings: Settings;
  /** At least 1; 0 stands for settings that do not exist. */
  readonly version: number;
}

/** Settings were not changed: they changed concurrently, or their id or key is taken. */
export class SettingsConflict extends ConflictException {}

/** Where settings are changed. */
export interface EditableSettings<Settings> {
  all(): Promise<readonly Versioned<Settings>[]>;
  read(id: string): Promise<Versioned<Settings> | undefined>;
  save(settings: Settings, version?: number): Promise<void>;
  remove(id: string, version?: number): Promise<void>;
}
