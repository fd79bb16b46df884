import type { RawRoutes } from './raw-routes.js';

/**
 * A request's target without scheme and host.
 * A proxy may send an absolute URL, which every server must accept (RFC 9112 §3.2.2).
 */
export const originForm = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^(?:https?|wss?):\/\/[^/?#]*/i, '');

/** A request's path, without its query. */
export function pathOf(target: string): string {
  const url = originForm(target);
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** A test for the paths of these routes; the query may still be there. */
export function ownPaths({ prefix, only }: Pick<RawRoutes, 'prefix' | 'only'>): (url: string) => boolean {
  const inner = `${prefix}/`;
  return (target) => {
    const url = originForm(target);
    if (!url.startsWith(prefix)) return false;
    const path = pathOf(url);
    return (path.startsWith(inner) || path === prefix) && (only?.test(path) ?? true);
  };
}
