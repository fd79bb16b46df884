import type { Job } from 'rookery/jobs';
import { dueAtOf, type Publish } from '../publish.js';
import { type Partition, partitionName } from './partition.js';

/** A publish, and each range of it, is a job. Their key is the publish: a worker runs one of them at a time. */
export const publishJob = (publish: Publish): Job => ({
  id: publish.id,
  owner: publish.instanceId,
  key: publish.id,
  dueAt: dueAtOf(publish),
  data: '',
  state: '',
});

/** The job of a range, from any job of its publish. */
export const rangeJob = ({ owner, key }: Job, partition: Partition, dueAt: number): Job => ({
  id: `${key}/${partitionName(partition)}`,
  owner,
  key,
  dueAt,
  data: partitionName(partition),
  state: '',
});

/** Whether a partition belongs to the job: a range's job has its own partition, the publish's job those that are not ranges. */
export const isPartitionOfJob = ({ data }: Job, { from = '' }: Partition): boolean => from === data;

/** The state of a job after its first run. New jobs wait for a worker; others may wait for a retry. */
export const begun = 'begun';
