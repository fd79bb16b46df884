import type { RawRoutes } from './raw-routes.js';

/** A test for paths under `prefix`, with or without a host's global prefix before it. The query may still be there. */
export function pathUnder(prefix: string): (url: string) => boolean {
  const inner = `${prefix}/`;
  return (url) => {
    const path = pathOf(url);
    return path.includes(inner) || path.endsWith(prefix);
  };
}

/** A request's URL without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** A test for the paths of these routes. */
export function ownPaths({ prefix, only }: Pick<RawRoutes, 'prefix' | 'only'>): (url: string) => boolean {
  const isUnder = pathUnder(prefix);
  return only ? (url) => isUnder(url) && only.test(pathOf(url)) : isUnder;
}
