import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A job that is not done yet. */
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

  /** When the next try is due. Epoch milliseconds, as all times here. */
  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;

  /** When it may be claimed: while it is held, the end of the lease. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;

  /** When it is due at the latest, once it is given back. */
  @Column({ type: 'bigint', name: 'due_by', nullable: true })
  dueBy!: number | null;

  /** The claim that handed it out last, and may end it. */
  @Column({ type: 'text', name: 'claim_id', nullable: true, collation: 'C' })
  claimId!: string | null;

  /** Grows from one `add` to the next. */
  @Column({ type: 'bigint' })
  position!: number;

  /** What is to be done. */
  @Column({ type: 'text', collation: 'C' })
  data!: string;

  /** What changes from one try to the next. */
  @Column({ type: 'text', collation: 'C' })
  state!: string;
}
