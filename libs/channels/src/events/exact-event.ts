import { isObject } from '#common';
import { jsonFields, jsonItems, mayBeRewritten } from '../protocol/json-fields.js';
import type { TriggerEvent } from './trigger-event.js';

/** An event of a request. Data other than text becomes the JSON as sent, with all digits of its numbers. */
export const exactEvent = (event: TriggerEvent, body: Buffer): TriggerEvent =>
  isText(event) ? event : exact(event, body.toString());

/** The same for the events of a batch, before they are checked. */
export function exactBatch(batch: readonly TriggerEvent[], body: Buffer): readonly TriggerEvent[] {
  if (!Array.isArray(batch) || batch.every(isText)) return batch;
  const items = jsonItems(jsonFields(body.toString())?.get('batch') ?? '') ?? [];
  return batch.map((event: TriggerEvent, index) => exact(event, items[index] ?? ''));
}

const isText = (event: unknown): boolean => isObject(event) && typeof event['data'] === 'string';

function exact(event: TriggerEvent, json: string): TriggerEvent {
  if (!isObject(event) || isText(event) || !mayBeRewritten(json)) return event;
  const data = jsonFields(json)?.get('data');
  return data === undefined || data === 'null' ? event : { ...event, data };
}
