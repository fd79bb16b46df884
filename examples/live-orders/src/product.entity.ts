import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity()
@Check('"left" >= 0')
export class Product {
  @PrimaryColumn('text')
  name!: string;

  @Column('integer')
  left!: number;
}
