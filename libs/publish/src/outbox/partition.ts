import type { Platform } from 'rookery/push-device';

/**
 * One platform's part of a publish, or a range of it: its progress and results so far. A range is split from another
 * partition, which then ends where the range begins.
 */
export interface Partition {
  readonly platform: Platform;
  /** For a range: its device ids sort after this text. */
  readonly from?: string;
  /** The last possible id; absent: to the end of the platform. */
  readonly to?: string;
  /** The last device id of the last page that is done. */
  readonly cursor: string;
  /** Whether the last page is done; retries may still wait. */
  readonly paged: boolean;
  /** Devices found so far. */
  readonly audience: number;
  /** Devices whose notification the gateway has accepted. */
  readonly sent: number;
  /** Failed devices, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** Devices removed because their token is gone. */
  readonly removed: number;
  /** For a publish to users, one mark per user, in order (see `user-marks`); otherwise empty. */
  readonly users: string;
  /** Whether the attempt of a publish to users has been reported; absent: not yet. */
  readonly attempted?: boolean;
  /** The reason why nothing can be sent on this platform. */
  readonly fault?: string;
  /** The most frequent reason among the last deferred devices; they may have been sent to since. */
  readonly deferral?: string;
}

/** Creates a partition. Device ids begin with their platform's name, so the name sorts before all of them. */
export function newPartition(platform: Platform, users: number): Partition {
  const nothing = { audience: 0, sent: 0, failed: {}, removed: 0 };
  return { platform, cursor: `${platform}-`, paged: false, ...nothing, users: '-'.repeat(users) };
}

/** The partition's name within its publish. */
export const partitionName = ({ from, platform }: Partition): string => from ?? platform;

/** Whether a name belongs to the platform's partition or a range of it. */
export const isPartitionOf = (platform: Platform, name: string): boolean =>
  name === platform || name.startsWith(`${platform}-`);

/** A device to try again. */
export interface Retry {
  readonly deviceId: string;
  /** Tries made so far. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}
