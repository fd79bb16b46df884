import { Entity, Index } from 'typeorm';
import { Integer, NullableInteger, NullableText, Text, TextKey } from '../database/columns.js';

/** An unfinished job. */
@Entity('rookery_jobs')
@Index('rookery_jobs_by_turn', ['queue', 'freeAt', 'position'])
@Index('rookery_jobs_by_key', ['queue', 'key', 'freeAt', 'position'])
export class JobEntity {
  @TextKey() queue!: string;
  /** Unique in its queue. */
  @TextKey() id!: string;
  /** The app or instance. */
  @Text() owner!: string;
  @Text() key!: string;
  /** When the next try is due, in epoch milliseconds, as all times here. */
  @Integer('due_at') dueAt!: number;
  /** When it can be claimed; for a claimed job, the end of the lease. */
  @Integer('free_at') freeAt!: number;
  /** The latest time at which it is due, once its claim ends. */
  @NullableInteger('due_by') dueBy!: number | null;
  /** The latest claim that got it: only that claim may end it. */
  @NullableText('claim_id') claimId!: string | null;
  /** Grows with each `add`. */
  @Integer() position!: number;
  /** The task. */
  @Text() data!: string;
  /** The part that changes between tries. */
  @Text() state!: string;
}

/** How many dead jobs of an owner were deleted because of a limit, since its dead jobs were last all sent again. */
@Entity('rookery_dropped_dead_jobs', { withoutRowid: true })
export class DroppedDeadJobsEntity {
  @TextKey() queue!: string;
  @TextKey() owner!: string;
  @Integer() dropped!: number;
}

/** A job that was given up. */
@Entity('rookery_dead_jobs')
@Index('rookery_dead_jobs_by_owner', ['queue', 'owner', 'place'])
@Index('rookery_dead_jobs_by_age', ['queue', 'place'])
export class DeadJobEntity {
  @TextKey() queue!: string;
  /** Unique in its queue. */
  @TextKey() id!: string;
  /** The app or instance. */
  @Text() owner!: string;
  /** When it died, and its id: the order of the list. */
  @Text() place!: string;
  @Integer('died_at') diedAt!: number;
  @Text() reason!: string;
  @Text() key!: string;
  @Integer('due_at') dueAt!: number;
  @Text() data!: string;
  @Text() state!: string;
}
