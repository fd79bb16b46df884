import { parseEnv } from 'node:util';
import { fileText } from '../../../server/src/config/file-text.js';
import type { Fields } from './moved.js';

/** The content of another server's configuration file: JSON, or lines of variables. */
export interface OtherSettings {
  readonly json?: Fields;
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export function readOtherSettings(file: string): OtherSettings {
  const text = fileText(file);
  if (!/^\s*\{/.test(text)) return { variables: parseEnv(text) };
  return { json: JSON.parse(text) as Fields };
}

/** A setting by its path; a file may nest it, or use the whole path with dots as its key. */
export function settingAt(json: Fields, path: string): unknown {
  const [first = '', ...others] = path.split('.');
  if (json[path] !== undefined || others.length === 0) return json[path];
  for (let cut = others.length; cut > 0; cut--) {
    const head = [first, ...others.slice(0, cut - 1)].join('.');
    const inner = json[head];
    if (typeof inner === 'object' && inner !== null) {
      const found = settingAt(inner as Fields, others.slice(cut - 1).join('.'));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
