import type { JsonSchema } from '../../checks/json-schema.js';
import type { Route } from '../rookery-controller.js';

/** An operation as OpenAPI 3.1 has it; the rest of it stands in {@link DescribedApi}. */
export interface DescribedOperation {
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** The ways to be let in, each the names of schemes that are needed together; none: everybody is. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  /** By status. */
  readonly responses: DescribedAnswers;
}

export type DescribedAnswers = Readonly<Record<string, DescribedAnswer>>;

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  /** By media type; without it the body is empty. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;
}

/** What the OpenAPI document says of the routes of a module. */
export interface DescribedApi {
  /** The heading under which its operations stand. */
  readonly tag: string;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** By path, with `{parameters}`, and verb. */
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Route['verb'], DescribedOperation>>>>>;
}

/** Whether a described path is one of those that a route takes: `*tail` is whatever comes. */
export function isServedBy(path: string, route: string): boolean {
  const pattern = route.replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+');
  return new RegExp(`^${pattern}$`).test(path);
}
