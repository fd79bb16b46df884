/** A URL without its user and password, and the header that carries them (RFC 7617). */
export function urlCredentials(address: string | URL): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url: url.href, headers: {} };
  url.username = '';
  url.password = '';
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { url: url.href, headers: { authorization: `Basic ${credentials}` } };
}

/** A `%` that begins no escape is literal. */
function decoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString());
}
