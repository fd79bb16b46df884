/** The paths that are served, such as `/apps/:appId/channels/*tail`, by the modules that serve them. */
const served = new Map<object, readonly string[]>();
let patterns: readonly RegExp[] | undefined;

/** Registers the paths that a module serves. @returns a function that removes them */
export function servePaths(paths: readonly string[]): () => void {
  const module = {};
  served.set(module, paths);
  patterns = undefined;
  return () => {
    served.delete(module);
    patterns = undefined;
  };
}

/**
 * Whether one of Rookery's routes serves the path of a URL, for middleware that runs before any route, as that of
 * `app.use` does: checks of CSRF tokens and pages rendered on the server must skip it. Pass `request.originalUrl`.
 */
export function isRookeryPath(url: string): boolean {
  patterns ??= [...served.values()].flat().map(patternOf);
  const [path = ''] = url.split('?', 1);
  return patterns.some((pattern) => pattern.test(path));
}

/** `:name` is one segment, `*name` the rest. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+';
    return segment.startsWith('*') ? '.+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}
