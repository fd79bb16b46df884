import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The relay that sends the events of committed transactions, in a single row. */
@Entity('rookery_trigger_relays', { withoutRowid: true })
export class TriggerRelayEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'text', collation: 'C' })
  owner!: string;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'leased_until' })
  leasedUntil!: number;
}
