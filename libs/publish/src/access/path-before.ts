import { RouteNotFound } from '#http';

/** The part of a path before its end: it may contain slashes, so no route pattern can match it. */
export function pathBefore(end: string, path: string): string {
  if (!path.endsWith(end)) throw new RouteNotFound();
  return path.slice(0, -end.length);
}
