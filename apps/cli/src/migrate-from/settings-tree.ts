import type { Fields } from './converted-config.js';
import { isObject } from './values.js';

/** Nests settings by their paths: a file may nest them, or use whole paths with dots as keys. */
export function settingsTree(content: Fields): Fields {
  const root = node();
  for (const [path, value] of Object.entries(content)) {
    const keys = path.split('.');
    const last = keys.pop()!;
    let at = root;
    for (const key of keys) at = (typeof at[key] === 'object' && at[key] ? at[key] : (at[key] = node())) as typeof root;
    at[last] = isObject(value) ? Object.assign(node(), at[last], settingsTree(value)) : value;
  }
  return root;
}

export function valueAt(content: unknown, path: string): unknown {
  let value = content;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Fields)[key];
  }
  return value;
}

// Without a prototype, so that no path names something that the file does not contain.
const node = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;
