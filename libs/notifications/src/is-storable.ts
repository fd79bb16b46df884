import type { ValidationOptions } from 'class-validator';
import { isStorable, rule } from '#common';

/** A text that every store can keep: without NUL and lone surrogates. */
export const IsStorable = (options?: ValidationOptions): PropertyDecorator =>
  rule(
    'isStorable',
    'must not contain NUL or half a surrogate pair',
    (value) => typeof value !== 'string' || isStorable(value),
    options,
  );
