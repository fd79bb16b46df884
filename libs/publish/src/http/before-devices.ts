import { RouteNotFound } from 'rookery/common';

const end = '/devices';

/** What stands before `/devices` at the end of a path: it may contain slashes, so no route can say so. */
export function beforeDevices(path: string): string {
  if (!path.endsWith(end)) throw new RouteNotFound();
  return path.slice(0, -end.length);
}
