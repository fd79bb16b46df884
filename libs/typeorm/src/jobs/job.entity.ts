import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An unfinished job. */
@Entity('rookery_jobs')
@Index('rookery_jobs_by_turn', ['queue', 'freeAt', 'position'])
@Index('rookery_jobs_by_key', ['queue', 'key', 'freeAt', 'position'])
export class JobEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  queue!: string;

  /** Unique in its queue. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  /** The app or instance. */
  @Column({ type: 'text', collation: 'C' })
  owner!: string;

  @Column({ type: 'text', collation: 'C' })
  key!: string;

  /** When the next try is due, in epoch milliseconds, as all times here. */
  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;

  /** When it can be claimed; for a claimed job, the end of the lease. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;

  /** The latest time at which it is due, once its claim ends. */
  @Column({ type: 'bigint', name: 'due_by', nullable: true })
  dueBy!: number | null;

  /** The latest claim that got it: only that claim may end it. */
  @Column({ type: 'text', name: 'claim_id', nullable: true, collation: 'C' })
  claimId!: string | null;

  /** Grows with each `add`. */
  @Column({ type: 'bigint' })
  position!: number;

  /** The task. */
  @Column({ type: 'text', collation: 'C' })
  data!: string;

  /** The part that changes between tries. */
  @Column({ type: 'text', collation: 'C' })
  state!: string;
}
