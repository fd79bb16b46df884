import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An `Idempotency-Key` and its publish, which it may outlive. */
@Entity('rookery_publish_keys', { withoutRowid: true })
@Index('rookery_publish_keys_by_expiry', ['expiresAt'])
export class PublishKeyEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @PrimaryColumn({ type: 'text', name: 'once_key', collation: 'C' })
  onceKey!: string;

  @Column({ type: 'text', collation: 'C' })
  fingerprint!: string;

  @Column({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'expires_at' })
  expiresAt!: number;
}
