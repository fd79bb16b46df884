import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A session of the console. */
@Entity('rookery_sign_ins', { withoutRowid: true })
export class SignInEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly name!: string;

  /** When the session ends, in epoch milliseconds. */
  @Column({ type: 'bigint', name: 'ends_at' })
  readonly endsAt!: number;
}
