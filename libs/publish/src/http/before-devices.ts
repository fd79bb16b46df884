import { RouteNotFound } from 'rookery/common';

const end = '/devices';

/** The part of a path before its final `/devices`: it may contain slashes, so no route pattern can match it. */
export function beforeDevices(path: string): string {
  if (!path.endsWith(end)) throw new RouteNotFound();
  return path.slice(0, -end.length);
}
