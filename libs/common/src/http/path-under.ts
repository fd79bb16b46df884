import type { RawRoutes } from './raw-routes.js';

/** A request's URL without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** A test for the paths of these routes; the query may still be there. */
export function ownPaths({ prefix, only }: Pick<RawRoutes, 'prefix' | 'only'>): (url: string) => boolean {
  const inner = `${prefix}/`;
  return (url) => {
    if (!url.startsWith(prefix)) return false;
    const path = pathOf(url);
    return (path.startsWith(inner) || path === prefix) && (only?.test(path) ?? true);
  };
}
