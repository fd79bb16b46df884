import { Entity } from 'typeorm';
import { Integer, TextKey } from '../database/columns.js';

/** A session of the console. */
@Entity('rookery_sign_ins', { withoutRowid: true })
export class SignInEntity {
  @TextKey() readonly name!: string;
  /** When the session ends, in epoch milliseconds. */
  @Integer('ends_at') readonly endsAt!: number;
}
