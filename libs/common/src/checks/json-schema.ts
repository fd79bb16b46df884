import type { Type } from '@nestjs/common';
import { fieldsOf, type KnownRule, rulesOf } from './known-rules.js';
import { isOpen, nestedIn } from './rules.js';

/** A schema as editors read it (JSON Schema, draft 7). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The schema of a rule, by its name; rules that a schema cannot express are left out. */
const keywords: Readonly<Record<string, (args: readonly unknown[]) => JsonSchema>> = {
  isText: () => ({ type: 'string', minLength: 1 }),
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: ([least]) => ({ minItems: least }),
  arrayMaxSize: ([most]) => ({ maxItems: most }),
  isNotEmpty: () => ({ minLength: 1 }),
  // Each character takes at least one byte.
  maxBytes: ([most]) => ({ maxLength: most }),
  matches: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  min: ([least]) => ({ minimum: least }),
  max: ([most]) => ({ maximum: most }),
  isAbsent: () => ({ not: {} }),
  isToken: () => ({ type: 'string', minLength: 1 }),
  isApnsToken: ([pattern]) => ({ type: 'string', pattern }),
  isInterest: ([pattern]) => ({ type: 'string', pattern }),
  isBundleIdentifier: () => ({ type: 'string', minLength: 1 }),
  arrayUnique: () => ({ type: 'array', uniqueItems: true }),
  isCount: (range) => ({ type: 'integer', ...limits(range) }),
  isAmount: (range) => ({ type: 'number', ...limits(range) }),
  isAboveZero: () => ({ type: 'number', exclusiveMinimum: 0 }),
  isIn: ([allowed]) => ({ enum: allowed }),
  isRole: ([allowed]) => ({ enum: allowed }),
  isInstanceId: () => ({ type: 'string', format: 'uuid' }),
  isWebAddress: () => ({ type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' }),
  isPattern: () => ({ type: 'string', pattern: '^([^*]+\\*?|\\*)$' }),
  isTexts: () => ({ type: 'object', additionalProperties: { type: 'string', minLength: 1 } }),
};

function limits([least, most]: readonly unknown[]): JsonSchema {
  return { minimum: least, ...(most !== Infinity && { maximum: most }) };
}

/** The JSON schema of a settings class: its rules, as far as a schema can express them, and its defaults. */
export function jsonSchemaOf(of: Type<object>): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const schema = objectOf(of, (nested) => reference(nested, definitions));
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema, definitions };
}

/** The schema of a request body, without references, so that OpenAPI documents can embed it. */
export const bodySchemaOf = (of: Type<object>): JsonSchema => ({ title: of.name, ...objectOf(of, bodySchemaOf) });

/** The placeholder for a class within a schema. */
type SchemaOf = (of: Type<object>) => JsonSchema;

function objectOf(of: Type<object>, schemaOf: SchemaOf): JsonSchema {
  const defaults = new of() as Readonly<Record<string, unknown>>;
  const names = fieldsOf(of);
  const properties: Record<string, JsonSchema> = Object.fromEntries(
    names.map((name) => [name, fieldOf(of, name, defaults[name], schemaOf)]),
  );
  const required = names.filter((name) => defaults[name] === undefined && !mayBeAbsent(of, name));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen(of),
  };
}

const mayBeAbsent = (of: Type<object>, name: string): boolean =>
  rulesOf(of, name).some(({ type }) => type === 'conditionalValidation' || type === 'whitelistValidation');

function fieldOf(of: Type<object>, name: string, value: unknown, schemaOf: SchemaOf): JsonSchema {
  const rules = rulesOf(of, name);
  const nested = nestedIn(of, name);
  const isList = rules.some((rule) => nameOf(rule) === 'isArray');
  const item = nested ? schemaOf(nested) : said(rules.filter(({ each }) => each));
  const own = nested && !isList ? item : said(rules.filter(({ each }) => !each));
  const schema = isList ? { ...own, items: item } : own;
  // Adds null, for `OrNull()`.
  if (value === null) return { anyOf: [schema, { type: 'null' }], default: null };
  return isPlain(value) ? { ...schema, default: value } : schema;
}

const said = (rules: readonly KnownRule[]): JsonSchema =>
  Object.assign(
    {},
    ...rules.map((rule) => keywords[nameOf(rule)]?.(rule.constraints ?? []) ?? shown(rule)),
  ) as JsonSchema;

/** For unknown rules, the type of their values. */
function shown({ context }: KnownRule): JsonSchema {
  const { shown: type } = (context ?? {}) as { readonly shown?: string };
  return type === undefined ? {} : { type };
}

const nameOf = ({ name, type }: KnownRule): string => name ?? type;

/** Each class is described once. */
function reference(of: Type<object>, definitions: Record<string, JsonSchema>): JsonSchema {
  if (!(of.name in definitions)) {
    definitions[of.name] = {};
    definitions[of.name] = objectOf(of, (nested) => reference(nested, definitions));
  }
  return { $ref: `#/definitions/${of.name}` };
}

/** Whether the value can be shown in JSON, and is not empty. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  Number.isFinite(value) ||
  (Array.isArray(value) && value.length === 0);
