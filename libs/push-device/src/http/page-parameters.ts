import { nameIn } from 'rookery/common';
import { refusals } from '../push-device.errors.js';

const maxPage = 100;

/** @returns the page size; by default 100, which is also the maximum */
export function parseLimit(limit: unknown): number {
  if (limit === undefined) return maxPage;
  const size = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > maxPage) throw refusals.invalidLimit();
  return size;
}

/** @returns the name after which the page begins; empty for the first page */
export function parseCursor(cursor: unknown, isName: (name: string) => boolean): string {
  if (cursor === undefined) return '';
  const name = typeof cursor === 'string' ? nameIn(cursor, isName) : undefined;
  if (name === undefined) throw refusals.invalidCursor();
  return name;
}
