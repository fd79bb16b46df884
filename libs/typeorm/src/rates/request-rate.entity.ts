import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far the requests of a name are used up. A name without a row has all of its requests. */
@Entity('rookery_request_rates', { withoutRowid: true })
export class RequestRateEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  /** When all of its requests are earned back, in epoch microseconds. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;
}
