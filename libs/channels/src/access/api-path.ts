// Searched from the API's first resource: a host may have set a prefix before it, even one that looks alike.
const api = /\/apps\/([^/]+)\/(?:events|batch_events|channels|users|notifications|webhooks\/dead)(?:\/|$)/;

/** The id of the app in a path of the API, as sent; undefined in other paths. */
export function appIdIn(path: string): string | undefined {
  return api.exec(path)?.[1];
}

/** A path of the API without its prefix, if it has one of these; undefined for other paths, such as a host's own. */
export function withoutPrefix(path: string, prefixes: readonly string[]): string | undefined {
  const at = api.exec(path)?.index ?? 0;
  return at > 0 && prefixes.includes(path.slice(0, at)) ? path.slice(at) : undefined;
}
