import { type Partition, newPartition } from '../outbox/partition.js';

/** Ids are random after their platform, so their first digits give the position among all ids. */
const digits = 8;
const end = 16 ** digits;

/**
 * The second half of a partition's remaining devices, as its own range; undefined if fewer than `least` devices are left. It
 * estimates their number from the devices so far.
 *
 * @param readTo - the last id that is done or in progress
 */
export function secondHalf(partition: Partition, readTo: string, least: number): Partition | undefined {
  const { platform, cursor, from = '', to } = partition;
  const place = (id: string): number =>
    Number.parseInt(
      id
        .slice(platform.length + 1)
        .slice(0, digits)
        .padEnd(digits, '0'),
      16,
    );
  const toPlace = to === undefined ? end : place(to);
  const passed = place(cursor) - place(from);
  const left = (partition.audience / passed) * (toPlace - place(readTo));
  if (!(passed > 0 && left >= least)) return undefined;
  const middle = Math.floor((place(readTo) + toPlace) / 2);
  const start = `${platform}-${middle.toString(16).padStart(digits, '0')}`;
  // The estimate would be wrong for other kinds of ids.
  if (start <= readTo || (to !== undefined && start >= to)) return undefined;
  return {
    ...newPartition(platform, partition.users.length),
    from: start,
    cursor: start,
    ...(to === undefined ? {} : { to }),
  };
}
