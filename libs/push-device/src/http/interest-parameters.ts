import { Injectable, type PipeTransform } from '@nestjs/common';
import { isInterest } from '../interest.js';
import { interestOf } from '../interest-cursor.js';
import { refusals } from '../push-device.errors.js';

const maxPage = 100;

/** @returns the page size; 100 when none is given, which is also the most */
export function parseLimit(limit: unknown): number {
  if (limit === undefined) return maxPage;
  const size = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > maxPage) throw refusals.invalidLimit();
  return size;
}

/** @returns the name after which the page begins; the empty one for the first page */
export function parseCursor(cursor: unknown): string {
  if (cursor === undefined) return '';
  const interest = typeof cursor === 'string' ? interestOf(cursor) : undefined;
  if (interest === undefined) throw refusals.invalidCursor();
  return interest;
}

/** Refuses what cannot name an interest. */
@Injectable()
export class InterestPipe implements PipeTransform {
  transform(name: unknown): string {
    if (!isInterest(name)) throw refusals.invalidInterest();
    return name;
  }
}
