import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How much a name has used of its requests. A name without a row has all of them. */
@Entity('rookery_request_rates', { withoutRowid: true })
export class RequestRateEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  /** When it has all of its requests again, in epoch microseconds. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;
}
