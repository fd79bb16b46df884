import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A gateway's answers about devices, in one part of the deletion guard's window. */
@Entity('rookery_gateway_answers', { withoutRowid: true })
export class GatewayAnswersEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  /** Epoch milliseconds. */
  @PrimaryColumn({ type: 'bigint', name: 'answered_at' })
  answeredAt!: number;

  @Column({ type: 'bigint' })
  sent!: number;

  @Column({ type: 'bigint' })
  gone!: number;
}
