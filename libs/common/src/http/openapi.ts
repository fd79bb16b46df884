import type { INestApplicationContext } from '@nestjs/common';
import { OwnRoutes } from './own-routes.js';
import type { Route } from './rookery-controller.js';

/** What is used of an OpenAPI document, so that @nestjs/swagger need not be installed. */
interface Document {
  readonly paths: object;
}

type Operations = Record<string, Readonly<Record<string, object>>>;

/**
 * The application's OpenAPI document with Rookery's routes in it, which are left out of it otherwise:
 * `withRookeryRoutes(SwaggerModule.createDocument(app, config), app)`.
 */
export function withRookeryRoutes<D extends Document>(document: D, app: Pick<INestApplicationContext, 'get'>): D {
  const paths: Operations = {};
  for (const own of app.get(OwnRoutes, { strict: false, each: true }))
    for (const route of own.all) {
      // The one that answers what there is no route for.
      if (route.verb === 'all') continue;
      const path = route.path.replaceAll(/[:*](\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.verb]: operation(route) };
    }
  return { ...document, paths: { ...paths, ...document.paths } };
}

const operation = ({ controller, method, path, status }: Route): object => ({
  tags: ['Rookery'],
  summary: `${controller.name}.${method}`,
  parameters: [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: { [status]: { description: 'As the SDKs expect it' } },
});
