import { ConflictException } from '@nestjs/common';

/** Settings as they are kept, with their version: every change makes it another, always a greater one. */
export interface Kept<Settings> {
  readonly settings: Settings;
  /** At least 1; 0 stands for what is not there. */
  readonly version: number;
}

/** Settings were not changed: they are not what they were, or what they would have is another's already. */
export class SettingsConflict extends ConflictException {}
