import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A registered device. The hash of its token ensures one row per token, however long tokens are. */
@Entity('rookery_devices')
@Index('rookery_devices_by_token', ['instanceId', 'tokenHash'], { unique: true })
@Index('rookery_devices_by_user', ['instanceId', 'userId', 'id'])
export class DeviceEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @Column({ type: 'text', collation: 'C' })
  platform!: string;

  @Column({ type: 'text', collation: 'C' })
  token!: string;

  @Column({ type: 'text', name: 'token_hash', collation: 'C' })
  tokenHash!: string;

  @Column({ type: 'text', name: 'bundle_identifier', collation: 'C', nullable: true })
  bundleIdentifier!: string | null;

  @Column({ type: 'text', name: 'user_id', collation: 'C', nullable: true })
  userId!: string | null;

  /** JSON. */
  @Column({ type: 'text', collation: 'C' })
  metadata!: string;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'registered_at' })
  registeredAt!: number;

  /** Epoch milliseconds, precise to the day. Null until devices expire. */
  @Column({ type: 'bigint', name: 'seen_at', nullable: true })
  seenAt!: number | null;
}
