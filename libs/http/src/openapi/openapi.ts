import type { INestApplicationContext } from '@nestjs/common';
import { RouteRegistrar } from '../route-registrar.js';
import { parameter, type Route, spelt } from '../rookery-controller.js';
import { type DescribedApi, isServedBy } from '../described-api.js';
import { isObject } from '#common';

/** A description in OpenAPI 3.0, whose schemas have no type `null`: they are `nullable`. */
function inOpenApi30(part: unknown): unknown {
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

/** The parts of an OpenAPI document in use, so that @nestjs/swagger need not be installed. */
interface Document {
  readonly openapi?: string;
  readonly paths: object;
  readonly components?: object;
}

type Operations = Record<string, Readonly<Record<string, unknown>>>;

const asItIs = (operation: object): unknown => operation;

/**
 * Adds Rookery's routes to the application's OpenAPI document, which omits them otherwise:
 * `withRookeryRoutes(SwaggerModule.createDocument(app, config), app)`. They are described in the document's version of
 * OpenAPI: 3.0, which is Swagger's default, or 3.1 (`new DocumentBuilder().setOpenAPIVersion('3.1.0')`).
 */
export function withRookeryRoutes<D extends Document>(document: D, app: Pick<INestApplicationContext, 'get'>): D {
  const told = document.openapi?.startsWith('3.0') ? inOpenApi30 : asItIs;
  const paths: Operations = {};
  const securitySchemes: Record<string, object> = {};
  for (const own of app.get(RouteRegistrar, { strict: false, each: true })) {
    const { description } = own;
    Object.assign(securitySchemes, description?.securitySchemes);
    for (const [path, verb, operation] of operationsOf(own, description))
      paths[path] = { ...paths[path], [verb]: told(operation) };
  }
  const components: { readonly securitySchemes?: object } = document.components ?? {};
  return {
    ...document,
    paths: { ...paths, ...document.paths },
    components: { ...components, securitySchemes: { ...securitySchemes, ...components.securitySchemes } },
  };
}

type PlacedOperation = readonly [path: string, verb: string, operation: object];

/** A module's described operations; a route without a description is listed with its status only. */
function operationsOf(
  { all, prefixes: { base } }: RouteRegistrar,
  description: DescribedApi | undefined,
): PlacedOperation[] {
  const described = Object.entries(description?.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]): PlacedOperation => {
      const id = `${verb}${path.replaceAll(/[^\w]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`;
      return [base + path, verb, { tags: [description?.tag], operationId: id, ...operation }];
    }),
  );
  // `all` only answers requests without a route.
  const others = all.filter(
    (route) =>
      route.verb !== 'all' && !described.some(([path, verb]) => verb === route.verb && isServedBy(path, route.path)),
  );
  return [...described, ...others.map((route): PlacedOperation => [spelt(route.path), route.verb, bare(route)])];
}

const bare = ({ controller, method, path, status }: Route): object => ({
  tags: ['Rookery'],
  summary: `${controller.name}.${method}`,
  parameters: [...path.matchAll(parameter)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: { [status]: { description: 'As the SDKs expect' } },
});
