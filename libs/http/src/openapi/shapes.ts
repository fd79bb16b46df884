import type { JsonSchema } from '#common';

// JSON Schemas for the parts of answers and parameters.

export type Shape = JsonSchema;
type Shapes = Readonly<Record<string, Shape>>;

export const text: JsonSchema = { type: 'string' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const flag: JsonSchema = { type: 'boolean' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/** An object with these fields and no other. */
export const shape = (required: Shapes, optional: Shapes = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
  additionalProperties: false,
});

/** An empty object. */
export const nothing = shape({});

/** A page of a list: pass `nextCursor`, if present, as the `cursor` of the next request. */
export const pageOf = (name: string, items: JsonSchema): JsonSchema =>
  shape({ [name]: listOf(items), responseMetadata: shape({}, { nextCursor: text }) });

/** A parameter in the path. */
export const inPath = (name: string, description: string, schema: JsonSchema = text, example?: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  ...(example !== undefined && { example }),
});

/** An optional parameter in the query, or in a header with `'header'`. */
export const may = (
  name: string,
  description: string,
  schema: JsonSchema = text,
  place: 'query' | 'header' = 'query',
): object => ({ name, in: place, required: false, description, schema });

export const pageParameters = [
  may('limit', 'The maximum number', { type: 'integer', minimum: 1, maximum: 100, default: 100 }),
  may('cursor', 'The nextCursor of an earlier answer'),
];

/** The list of dead webhooks. */
export const deadLetters = pageOf('webhooks', shape({ id: text, url: text, body: text, reason: text, diedAt: time }));

/** How many of them are sent again. */
export const resent = shape({ resent: count });
