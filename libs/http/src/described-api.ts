import type { JsonSchema } from '#common';
import type { Route } from './rookery-controller.js';

/** An operation in OpenAPI 3.1; its other parts are in {@link DescribedApi}. */
export interface DescribedOperation {
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** The accepted ways to authenticate, each as the schemes that are needed together; empty for none. */
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
  /** By media type; absent for an empty body. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;
}

/** A module's part of the OpenAPI document. */
export interface DescribedApi {
  /** The tag that groups its operations. */
  readonly tag: string;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** By path, with `{parameters}`, and verb. */
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Route['verb'], DescribedOperation>>>>>;
}

/** Whether a route serves a described path: `*tail` matches anything. */
export function isServedBy(path: string, route: string): boolean {
  const pattern = route.replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+');
  return new RegExp(`^${pattern}$`).test(path);
}
