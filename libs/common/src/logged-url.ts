/** A URL that is safe to log: without credentials, query and fragment, which can be secrets. */
export function loggedUrl(url: string): string {
  if (!URL.canParse(url)) return '(not a URL)';
  const { protocol, origin, pathname } = new URL(url);
  // Only web URLs have an origin; a listener's URL is shown by its scheme.
  return (origin === 'null' ? protocol : origin) + pathname;
}
