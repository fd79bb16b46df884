import { isObject, type JsonObject } from '../../json.js';

/** Devices show the update with the latest `timestamp`, so an update that is retried never replaces a newer one. */
export function withTimestamp(payload: JsonObject, publishedAt: number): JsonObject {
  const { aps } = payload;
  if (!isObject(aps) || aps['timestamp'] !== undefined) return payload;
  return { ...payload, aps: { timestamp: Math.floor(publishedAt / 1000), ...aps } };
}
