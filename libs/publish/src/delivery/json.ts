/** A JSON object of a customer's payload. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` if it is an object, otherwise an empty one. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}

/** `object` without the keys in `unwanted`. */
export function without(object: JsonObject, unwanted: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !unwanted.includes(key)));
}

/** Parses a JSON text; `undefined` if it is not JSON. Proxies in front of gateways sometimes answer with HTML. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
