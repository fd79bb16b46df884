import { isObject } from '../../is-object.js';

/** A description in OpenAPI 3.0, whose schemas have no type `null`: they are `nullable`. */
export function inOpenApi30(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inOpenApi30);
  if (!isObject(part)) return part;
  const { anyOf, ...others } = part;
  const fields = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, inOpenApi30(value)] as const));
  if (!Array.isArray(anyOf)) return fields;
  const schemas: unknown[] = anyOf.filter((schema) => !isNull(schema)).map(inOpenApi30);
  if (schemas.length === anyOf.length) return { ...fields, anyOf: schemas };
  const [only] = schemas;
  return schemas.length === 1 && isObject(only)
    ? { ...fields, ...only, nullable: true }
    : { ...fields, anyOf: schemas, nullable: true };
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'null';
