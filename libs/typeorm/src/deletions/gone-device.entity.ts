import { Entity, PrimaryColumn, Column } from 'typeorm';

/** A device that its gateway reports as gone, not removed yet. */
@Entity('rookery_gone_devices', { withoutRowid: true })
export class GoneDeviceEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;

  /** Epoch milliseconds: a device registered later stays. */
  @Column({ type: 'bigint', name: 'registered_until' })
  registeredUntil!: number;

  /** The publish that found it; it may be deleted by now. */
  @Column({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;
}
