import { parseEnv } from 'node:util';
import { fileText } from '../../../server/src/config/file-text.js';
import type { Fields } from './converted-config.js';
import { isText, structured } from './values.js';

/** The content of another server's configuration file: JSON, rows of a database as JSON, or lines of variables. */
export interface OtherFile {
  readonly json?: Fields;
  readonly rows?: readonly unknown[];
  readonly variables?: Variables;
}

export type Variables = Readonly<Record<string, string | undefined>>;

export function readOtherFile(file: string): OtherFile {
  const text = fileText(file);
  if (!/^\s*[[{]/.test(text)) return { variables: parseEnv(text) };
  // Databases keep the webhooks of an app as text.
  const parsed: unknown = JSON.parse(text, (key, value: unknown) =>
    /^webhooks$/i.test(key) && isText(value) ? structured(value) : value,
  );
  return Array.isArray(parsed) ? { rows: parsed } : { json: parsed as Fields };
}
