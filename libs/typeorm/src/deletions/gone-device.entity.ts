import { Entity, PrimaryColumn, Column } from 'typeorm';

/** A device that its gateway says is gone, and that is not removed yet. */
@Entity('rookery_gone_devices', { withoutRowid: true })
export class GoneDeviceEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;

  /** Epoch milliseconds: it stays if it registered again later. */
  @Column({ type: 'bigint', name: 'registered_until' })
  registeredUntil!: number;

  /** The publish that found it; it may be forgotten by now. */
  @Column({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;
}
