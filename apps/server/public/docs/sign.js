/**
 * Signs a request that has the key and the secret of an app as basic credentials, as the server SDKs sign theirs. Other
 * requests stay as they are.
 */
export function signed(request, now = Date.now()) {
  const [, basic] = /^Basic (.+)$/.exec(request.headers?.Authorization ?? '') ?? [];
  if (basic === undefined) return request;
  delete request.headers.Authorization;
  const [key, secret] = textOf(basic).split(/:(.*)/s);
  const { origin, pathname, searchParams } = new URL(request.url, location.href);
  searchParams.set('auth_key', key);
  searchParams.set('auth_timestamp', Math.floor(now / 1000));
  searchParams.set('auth_version', '1.0');
  if (request.body) searchParams.set('body_md5', globalThis.md5(request.body));
  const sorted = [...searchParams]
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const query = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  const text = `${request.method.toUpperCase()}\n${pathname}\n${query}`;
  searchParams.set('auth_signature', globalThis.sha256.hmac(secret, text));
  request.url = `${origin}${pathname}?${searchParams}`;
  return request;
}

/** Base64 of the bytes of a text. */
const textOf = (base64) =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
