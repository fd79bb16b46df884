import { describe, expect, it } from 'vitest';
import { type Partition, newPartition } from '../outbox/partition.js';
import { secondHalf } from './second-half.js';

const rest = '-1111-4111-8111-111111111111';

describe('the second half of a partition', () => {
  const aQuarterDone: Partition = { ...newPartition('fcm', 2), cursor: `fcm-40000000${rest}`, audience: 1000 };

  it('begins in the middle of the remaining ids', () => {
    expect(secondHalf(aQuarterDone, aQuarterDone.cursor, 100)).toEqual({
      ...newPartition('fcm', 2),
      from: 'fcm-a0000000',
      cursor: 'fcm-a0000000',
    });
  });

  it('excludes devices that are already read', () => {
    expect(secondHalf(aQuarterDone, `fcm-80000000${rest}`, 100)?.from).toBe('fcm-c0000000');
  });

  it('ends where the partition ends', () => {
    expect(secondHalf({ ...aQuarterDone, to: 'fcm-80000000' }, aQuarterDone.cursor, 100)).toMatchObject({
      from: 'fcm-60000000',
      to: 'fcm-80000000',
    });
  });

  it('estimates the remaining devices from those so far', () => {
    expect(secondHalf(aQuarterDone, aQuarterDone.cursor, 3000)).toBeDefined();
    expect(secondHalf(aQuarterDone, aQuarterDone.cursor, 3001)).toBeUndefined();
    const range: Partition = { ...aQuarterDone, from: 'fcm-30000000', to: 'fcm-50000000' };
    expect(secondHalf(range, range.cursor, 1000)).toBeDefined();
    expect(secondHalf(range, range.cursor, 1001)).toBeUndefined();
  });

  it.each<[string, Partial<Partition>, string]>([
    ['before the first page is saved', { cursor: 'fcm-', audience: 0 }, 'fcm-'],
    ['when everything is read', { to: 'fcm-80000000' }, `fcm-80000000${rest}`],
    ['of ids that are not random in this way', { cursor: 'fcm-device 17' }, 'fcm-device 18'],
    ['of ids that have no room between them', { to: 'fcm-40000001' }, `fcm-40000000${rest}`],
  ])('is none %s', (_when, partition, readTo) => {
    expect(secondHalf({ ...aQuarterDone, ...partition }, readTo, 0)).toBeUndefined();
  });
});
