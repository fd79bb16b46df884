/** A URL as it may stand in a log: without credentials, query and fragment, which can be secrets. */
export function loggedUrl(url: string): string {
  if (!URL.canParse(url)) return '(not a URL)';
  const { protocol, origin, pathname } = new URL(url);
  // Only those of the web have an origin: that of a listener is its scheme.
  return (origin === 'null' ? protocol : origin) + pathname;
}
