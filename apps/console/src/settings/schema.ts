import type { SettingSchema } from '../api/contract.js';

/** The forms of a setting. `pairs` are names with texts; `json` is an object with any fields. */
export type Form = 'switch' | 'number' | 'text' | 'lines' | 'choices' | 'pairs' | 'json' | 'fields' | 'list';

/** The schema of the value, where it is set. */
export const ofValue = (schema: SettingSchema): SettingSchema => schema.anyOf?.[0] ?? schema;

export function formOf({ type, items, properties, additionalProperties }: SettingSchema): Form {
  if (type === 'boolean') return 'switch';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return items?.properties ? 'list' : items?.enum ? 'choices' : 'lines';
  if (type !== 'object') return 'text';
  if (typeof additionalProperties === 'object') return 'pairs';
  return properties && !additionalProperties ? 'fields' : 'json';
}

/** Stands for a secret that is not shown. */
export const hidden = '********';

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** What is wrong with a value itself, not with its fields. A text that cannot be read stands for itself. */
export function faultOf(given: SettingSchema, value: unknown, isRequired = false): string | undefined {
  if (isEmpty(value)) return isRequired ? 'Enter a value.' : undefined;
  const schema = ofValue(given);
  const form = formOf(schema);
  if (form === 'pairs') return typeof value === 'string' ? 'Write each line as Name: value.' : undefined;
  if (form === 'json') return typeof value === 'string' ? 'Not valid JSON.' : undefined;
  if (form === 'number') return numberFault(schema, Number(value));
  if (form !== 'text' || value === hidden) return undefined;
  const { pattern = '', format } = schema;
  const isRight = new RegExp(pattern).test(String(value)) && (format !== 'uri' || URL.canParse(String(value)));
  return isRight ? undefined : 'The value is not in the expected form.';
}

function numberFault({ type, minimum = -Infinity, maximum = Infinity }: SettingSchema, value: number) {
  if (value >= minimum && value <= maximum && (type !== 'integer' || Number.isInteger(value))) return undefined;
  const range = maximum === Infinity ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return `Enter a ${type === 'integer' ? 'whole ' : ''}number ${range}.`;
}

/** Whether the server would refuse the value, as far as the schema says. */
export function isFaulty(given: SettingSchema, value: unknown, isRequired = false): boolean {
  if (faultOf(given, value, isRequired) !== undefined) return true;
  const schema = ofValue(given);
  if (value === undefined || value === null) return false;
  if (formOf(schema) === 'list') return (value as readonly unknown[]).some((each) => isFaulty(schema.items!, each));
  if (formOf(schema) !== 'fields') return false;
  return Object.entries(schema.properties!).some(([name, field]) =>
    isFaulty(field, (value as Readonly<Record<string, unknown>>)[name], schema.required?.includes(name)),
  );
}

/** How a value is written as text; a text that cannot be read is read as itself. */
export interface TextFormat {
  read(text: string): unknown;
  write(value: object): string;
}

const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const formats = {
  /** The text of a file. */
  file: { read: (text) => text.trim(), write: String },
  lines: { read: linesIn, write: (lines) => (lines as readonly string[]).join('\n') },
  pairs: {
    read: (text) => {
      const entries = linesIn(text).map((line) => /^([\w-]+)\s*:\s*(.+)$/.exec(line)?.slice(1));
      return entries.includes(undefined) ? text : Object.fromEntries(entries as [string, string][]);
    },
    write: (pairs) =>
      Object.entries(pairs)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
  },
  json: {
    read: (text) => {
      try {
        const parsed: unknown = JSON.parse(text);
        return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : text;
      } catch {
        return text;
      }
    },
    write: (object) => JSON.stringify(object, null, 2),
  },
} satisfies Readonly<Record<string, TextFormat>>;
