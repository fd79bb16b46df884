import { cursorIn, limitIn } from '#http';
import { refusals } from '../push-device.errors.js';

/** @returns the page size; by default 100, which is also the maximum */
export const parseLimit = (limit: unknown): number => limitIn(limit, refusals.invalidLimit);

/** @returns the name after which the page begins; empty for the first page */
export const parseCursor = (cursor: unknown, isName: (name: string) => boolean): string =>
  cursorIn(cursor, isName, refusals.invalidCursor) ?? '';
