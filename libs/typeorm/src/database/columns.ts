import { Column, type ColumnOptions } from 'typeorm';

// The columns of Rookery's tables. Texts are compared byte by byte, in both databases.

/** Declares a column, whose name defaults to the property's. */
const column =
  (options: ColumnOptions) =>
  (name?: string): PropertyDecorator =>
    Column({ ...options, ...(name !== undefined && { name }) });

const text = { type: 'text', collation: 'C' } as const;
export const Text = column(text);
export const NullableText = column({ ...text, nullable: true });
export const TextKey = column({ ...text, primary: true });

const integer = { type: 'bigint' } as const;
export const Integer = column(integer);
export const NullableInteger = column({ ...integer, nullable: true });
export const IntegerKey = column({ ...integer, primary: true });
