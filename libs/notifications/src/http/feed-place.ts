import { cursorIn } from '#common';
import { badRequest } from '../notifications.errors.js';
import type { FeedPlace } from '../store/notification.repository.js';

/** The cursor for a place. */
export const nameOfPlace = ({ createdAt, id }: FeedPlace): string => `${createdAt} ${id}`;

const isPlace = (name: string): boolean => /^\d{1,15} [\da-f-]{36}$/.test(name);

/** @throws ChannelsApiError 400 for an invalid cursor */
export function placeIn(cursor: unknown): FeedPlace | undefined {
  const name = cursorIn(cursor, isPlace, badRequest);
  if (name === undefined) return undefined;
  const [createdAt, id] = name.split(' ') as [string, string];
  return { createdAt: Number(createdAt), id };
}
