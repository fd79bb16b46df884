import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A job that was given up. */
@Entity('rookery_dead_jobs')
@Index('rookery_dead_jobs_by_owner', ['queue', 'owner', 'place'])
@Index('rookery_dead_jobs_by_age', ['queue', 'place'])
export class DeadJobEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  queue!: string;

  /** Unique in its queue. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  /** The app or instance. */
  @Column({ type: 'text', collation: 'C' })
  owner!: string;

  /** When it died, and its id: the order of the list. */
  @Column({ type: 'text', collation: 'C' })
  place!: string;

  @Column({ type: 'bigint', name: 'died_at' })
  diedAt!: number;

  @Column({ type: 'text', collation: 'C' })
  reason!: string;

  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;

  @Column({ type: 'text', collation: 'C' })
  data!: string;

  @Column({ type: 'text', collation: 'C' })
  state!: string;
}
