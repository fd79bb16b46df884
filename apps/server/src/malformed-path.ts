import type { ServerResponse } from 'node:http';
import { originForm } from 'rookery/internal/http';

const pushApis = /^\/(device|publish|customer|user|reporting)_api\//;
/** Browsers call these APIs: without the header, a page cannot read the answer (beams-wire §2.13). */
const browserApis = /^\/(device|reporting)_api\//;
const description = 'The path of the request is malformed.';

/**
 * Answers a path that cannot be decoded (`%zz`), which reaches no route: as JSON for push SDKs (beams-wire §0.2), as
 * text elsewhere.
 */
export function refuseMalformedPath(
  _: unknown,
  { url: target }: { readonly url: string },
  { raw }: { readonly raw: ServerResponse },
): void {
  const url = originForm(target);
  if (pushApis.test(url)) {
    if (browserApis.test(url)) raw.setHeader('access-control-allow-origin', '*');
    raw.writeHead(400, { 'content-type': 'application/json' });
    raw.end(`${JSON.stringify({ error: 'Bad Request', description })}\n`);
  } else {
    raw.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
    raw.end(`${description}\n`);
  }
}
