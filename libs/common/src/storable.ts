import type { ValidationOptions } from 'class-validator';
import { rule } from './checks/rules.js';

const unstorable = /\0|\p{Surrogate}/u;
const allUnstorable = /\0|\p{Surrogate}/gu;

/** Whether every store can keep the text unchanged: without NUL, which PostgreSQL refuses, and without lone surrogates. */
export const isStorable = (text: string): boolean => !unstorable.test(text);

/** The text with U+FFFD for what stores cannot keep. For texts that people read, such as an endpoint's answer. */
export const storable = (text: string): string => text.replace(allUnstorable, '\ufffd');

/** A text that every store can keep: without NUL and lone surrogates. */
export const IsStorable = (options?: ValidationOptions): PropertyDecorator =>
  rule(
    'isStorable',
    'must not contain NUL or half a surrogate pair',
    (value) => typeof value !== 'string' || isStorable(value),
    options,
  );
