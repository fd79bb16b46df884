import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A webhook request that is not delivered yet. */
@Entity('rookery_webhooks')
@Index('rookery_webhooks_by_endpoint', ['queue', 'endpoint', 'freeAt', 'position'])
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  /** Whose webhooks these are. */
  @Column({ type: 'text', collation: 'C' })
  queue!: string;

  @Column({ type: 'text', collation: 'C' })
  endpoint!: string;

  /** When it may be claimed: while it is held, the end of the lease. Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;

  /** The claim that handed it out last, and may end it. */
  @Column({ type: 'text', name: 'claim_id', nullable: true, collation: 'C' })
  claimId!: string | null;

  /** Grows from one `add` to the next. */
  @Column({ type: 'bigint' })
  position!: number;

  /** JSON: the whole WebhookDelivery. */
  @Column({ type: 'text', collation: 'C' })
  delivery!: string;
}
