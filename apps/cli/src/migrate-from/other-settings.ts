import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Fields } from './moved.js';

/** Another server's configuration as its file has it: JSON, or lines of variables. */
export interface OtherSettings {
  readonly json?: Fields;
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export function readOtherSettings(file: string): OtherSettings {
  const text = readFileSync(file, 'utf8');
  if (!/^\s*\{/.test(text)) return { variables: parseEnv(text) };
  return { json: JSON.parse(text) as Fields };
}

/** A setting by its path; in a file it may stand nested, or under its whole path with dots in it. */
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
