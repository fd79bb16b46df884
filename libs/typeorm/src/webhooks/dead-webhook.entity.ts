import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A webhook request that was given up. */
@Entity('rookery_dead_webhooks')
@Index('rookery_dead_webhooks_by_owner', ['queue', 'owner', 'place'])
@Index('rookery_dead_webhooks_by_age', ['queue', 'place'])
export class DeadWebhookEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  /** Whose webhooks these are. */
  @Column({ type: 'text', collation: 'C' })
  queue!: string;

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

  /** JSON: the whole WebhookDelivery. */
  @Column({ type: 'text', collation: 'C' })
  delivery!: string;
}
