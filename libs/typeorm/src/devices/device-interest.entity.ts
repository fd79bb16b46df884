import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DeviceEntity } from './device.entity.js';

/** A device's interest. The key serves audience queries, page by page; the index serves the list of one device. */
@Entity('rookery_device_interests', { withoutRowid: true })
@Index('rookery_device_interests_by_device', ['deviceId', 'interest'])
@ForeignKey(() => DeviceEntity, ['deviceId'], ['id'], {
  name: 'rookery_device_interests_of_device',
  onDelete: 'CASCADE',
})
export class DeviceInterestEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  interest!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;
}
