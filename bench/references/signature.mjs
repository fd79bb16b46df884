import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const secret = 'bench-secret';

/** The whole check of api § Authentication, without its error texts. */
export function isSigned(method, url, body) {
  const at = url.indexOf('?');
  const query = new Map(
    url
      .slice(at + 1)
      .split('&')
      .map((pair) => pair.split('=')),
  );
  if (query.get('auth_version') !== '1.0') return false;
  if (Math.abs(Date.now() / 1000 - Number(query.get('auth_timestamp'))) > 600) return false;
  if (query.get('body_md5') !== createHash('md5').update(body).digest('hex')) return false;
  const signed = [...query].filter(([key]) => key !== 'auth_signature').sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `${method}\n${url.slice(0, at)}\n${signed.map(([key, value]) => `${key}=${value}`).join('&')}`;
  const expected = Buffer.from(createHmac('sha256', secret).update(text).digest('hex'));
  const given = Buffer.from(query.get('auth_signature') ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
