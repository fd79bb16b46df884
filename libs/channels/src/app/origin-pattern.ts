/** The texts of which an allowed origin has to match one: the host, the host with its port, and the whole origin. */
export function namesOfOrigin(origin: string): readonly string[] {
  if (!URL.canParse(origin)) return [];
  const { hostname, host } = new URL(origin);
  return [hostname, host, origin].map((name) => name.toLowerCase());
}

/**
 * Whether an allowed origin can match that of any page. Browsers write a host in one form only: an international name in
 * punycode, an IPv6 address in brackets, no default port and no path.
 */
export function isOriginPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  // What a `*` stands for in a name, in a number, and in a scheme.
  return ['a', '1', 'https'].some((part) => isName(pattern.toLowerCase().replaceAll('*', part)));
}

function isName(text: string): boolean {
  const origins = text.includes('://') ? [text] : [`https://${text}`, `http://${text}`];
  return origins.some((origin) => isCanonical(origin) && namesOfOrigin(origin).includes(text));
}

/** Whether a browser would write the origin like this. */
function isCanonical(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host !== '' && origin === `${protocol}//${host}`;
}
