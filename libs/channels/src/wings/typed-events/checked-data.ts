import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import type { DataDefinition, StandardSchema } from '#events';
import { isObject, pathText } from '#common';

/**
 * Checks data by a host's schema, including all rules and nested classes. Fields without a rule are an error, so that
 * no undeclared field leaves the server.
 * @returns the data, transformed by the schema
 * @throws Error with the path of the first fault, such as `data.items[0].price: …`, and no value
 */
export async function checkedData(rules: DataDefinition, data: unknown): Promise<unknown> {
  if ('~standard' in rules) return bySchema(rules, data);
  if (!isObject(data)) throw new Error('data: must be an object');
  const instance = data instanceof rules ? data : plainToInstance(rules as Type<object>, data);
  const errors = await validate(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  const fault = faultIn(errors, ['data']);
  if (fault !== undefined) throw new Error(fault);
  return data;
}

async function bySchema(schema: StandardSchema, data: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(data);
  if (!result.issues) return result.value;
  const { message = 'is refused', path = [] } = result.issues[0] ?? {};
  const names = path.map((part) => String(typeof part === 'object' ? part.key : part));
  throw new Error(`${pathText(['data', ...names])}: ${message}`);
}

function faultIn(errors: readonly ValidationError[], path: readonly string[]): string | undefined {
  for (const { property, constraints = {}, children = [] } of errors) {
    const at = [...path, property];
    const [message] = Object.values(constraints);
    const fault = message === undefined ? faultIn(children, at) : `${pathText(at)}: ${message}`;
    if (fault !== undefined) return fault;
  }
  return undefined;
}
