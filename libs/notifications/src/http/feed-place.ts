import { nameIn } from 'rookery/common';
import { badRequest } from '../notifications.errors.js';
import type { FeedPlace } from '../store/notification.repository.js';

const maxPage = 100;

export function limitOf(limit: unknown): number {
  if (limit === undefined) return maxPage;
  const size = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > maxPage) throw badRequest(`limit must be a whole number from 1 to ${maxPage}`);
  return size;
}

/** The cursor for a place. */
export const nameOfPlace = ({ createdAt, id }: FeedPlace): string => `${createdAt} ${id}`;

const isPlace = (name: string): boolean => /^\d{1,15} [\da-f-]{36}$/.test(name);

/** @throws ChannelsApiError 400 for an invalid cursor */
export function placeIn(cursor: unknown): FeedPlace | undefined {
  if (cursor === undefined) return undefined;
  const name = typeof cursor === 'string' ? nameIn(cursor, isPlace) : undefined;
  if (name === undefined) throw badRequest('cursor must be the nextCursor of an earlier answer');
  const [createdAt, id] = name.split(' ') as [string, string];
  return { createdAt: Number(createdAt), id };
}
