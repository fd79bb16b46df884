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
