/** A URL as it may stand in a log: without credentials, query and fragment, which can be secrets. */
export function loggedUrl(url: string): string {
  if (!URL.canParse(url)) return '(not a URL)';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
