/**
 * A deep copy, as of something that was sent to another process; what has a class keeps it.
 *
 * @param copies what stands for an object at the other end, instead of a copy
 */
export function copyOf<Value>(value: Value, copies = new Map<unknown, unknown>()): Value {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  const known = copies.get(value);
  if (known !== undefined) return known as Value;
  return copied(value, copies) as Value;
}

function copied(value: object, copies: Map<unknown, unknown>): unknown {
  if (value instanceof Date) return new Date(value);
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  const copy: object = emptyLike(value);
  copies.set(value, copy);
  const inner = <Each>(each: Each): Each => copyOf(each, copies);
  if (value instanceof Map) for (const [key, each] of value) (copy as typeof value).set(inner(key), inner(each));
  else if (value instanceof Set) for (const each of value) (copy as typeof value).add(inner(each));
  else for (const [key, each] of Object.entries(value)) (copy as Record<string, unknown>)[key] = inner(each);
  return copy;
}

function emptyLike(value: object): object {
  if (Array.isArray(value)) return [];
  if (value instanceof Map) return new Map();
  return value instanceof Set ? new Set() : (Object.create(Object.getPrototypeOf(value) as object) as object);
}
