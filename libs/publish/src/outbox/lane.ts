import type { Platform } from 'rookery/push-device';

/**
 * One platform's part of a publish, or a range of it: how far it is and what has become of its devices so far. A range is
 * what was handed over of another lane, which ends where the range begins.
 */
export interface Lane {
  readonly platform: Platform;
  /** Of a range: the text that its devices' ids come after. */
  readonly from?: string;
  /** The text that they do not come after; absent: as far as the platform goes. */
  readonly to?: string;
  /** The id of the last device of the last page that is dealt with. */
  readonly cursor: string;
  /** Whether the last page is dealt with; retries may still be waiting. */
  readonly paged: boolean;
  /** Devices found so far. */
  readonly audience: number;
  /** Devices whose notification the gateway has accepted. */
  readonly sent: number;
  /** Devices that will not get it, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** For a publish to users, one mark for each of them, in order (see `user-marks`); else empty. */
  readonly users: string;
  /** Why nothing can be sent on this platform. */
  readonly fault?: string;
}

/** A lane at its start: after every id smaller than those of the platform's devices, which begin with its name. */
export function newLane(platform: Platform, users: number): Lane {
  const nothing = { audience: 0, sent: 0, failed: {} };
  return { platform, cursor: `${platform}-`, paged: false, ...nothing, users: '-'.repeat(users) };
}

/** What a lane is known by in its publish. */
export const laneName = ({ from, platform }: Lane): string => from ?? platform;

/** Whether a name is that of the platform's lane or of a range of it. */
export const isLaneOf = (platform: Platform, name: string): boolean =>
  name === platform || name.startsWith(`${platform}-`);

/** A device that has to be tried again. */
export interface Retry {
  readonly deviceId: string;
  /** Tries made so far. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}
