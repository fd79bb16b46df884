import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

export const states = ['placed', 'in the oven', 'on its way'] as const;

@Entity()
export class Order {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text')
  customer!: string;

  @Column('text')
  product!: string;

  @Column('text', { default: states[0] })
  state!: (typeof states)[number];
}
