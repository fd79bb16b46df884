import type { ServerResponse } from 'node:http';

/**
 * Answers JSON on Express, in one write. Express's own `json` sets the headers one by one, writes them and the body
 * separately, and computes an ETag, which only a GET has a use for.
 */
export function replyJson(response: ServerResponse, answer: object, status: number): void {
  const body = JSON.stringify(answer);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
