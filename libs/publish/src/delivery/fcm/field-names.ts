import { isObject, type JsonObject } from '../json.js';

/** Names that the customer or another platform chose. */
const free = ['data', 'webpush', 'apns'];

/** Google takes names in snake case and in camel case: in one of them, no field is there twice. */
export function inSnakeCase(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([given, value]) => {
      const name = given.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, isObject(value) && !free.includes(name) ? inSnakeCase(value) : value];
    }),
  );
}
