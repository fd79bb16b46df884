/** A test for paths under `prefix`, with or without a host's global prefix before it. The query may still be there. */
export function pathUnder(prefix: string): (path: string) => boolean {
  const inner = `${prefix}/`;
  return (path) => {
    const query = path.indexOf('?');
    const end = query < 0 ? path.length : query;
    const at = path.indexOf(inner);
    return (at >= 0 && at < end) || path.slice(0, end).endsWith(prefix);
  };
}
