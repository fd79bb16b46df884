import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appFrom } from '../app/app.js';
import { connectionRequest, isOriginAllowed } from './connection-request.js';
import { httpRequest } from './http-request.js';

const codeOf = (version: string): number | null | undefined =>
  connectionRequest(`/app/key?protocol=7&version=${encodeURIComponent(version)}`, '', false)?.refusal?.code;

/** Each is longer than Node takes in a request's head, and ends so that it fits at its end only if at all. */
const hostile = ['1', '1.', '1.1', '/pusher', '/pusher/app/', '?t=1', '&t=1&n=1'].map(
  (piece) => `${piece.repeat(20_000)}!`,
);

describe('the version of a client', () => {
  it.each(['8.6.0', '0.0.0-dev', '2.4', '7', '1.2.3.4', '1.2-rc.1+build5', '1.2.x', '3.'])('%s is valid', (version) => {
    expect(codeOf(version)).toBeUndefined();
  });

  it.each(['', 'x', 'v1.2', '1.2 3', '1_2', '.1', `1.${'2'.repeat(99)}`])('%j is invalid', (version) => {
    expect(codeOf(version)).toBe(4006);
  });
});

/** Far more than a look at each character takes, and far less than one at each pair of them. */
const maxMs = 1000;
let begun: NodeJS.CpuUsage;
beforeEach(() => void (begun = process.cpuUsage()));
afterEach(() => expect(process.cpuUsage(begun).user / 1000).toBeLessThan(maxMs));

describe('a hostile request is parsed in bounded time', () => {
  it.each(hostile)('for any version: %.9s…', (text) => {
    expect(codeOf(text)).toBe(4006);
  });

  it.each(hostile)('for any path: %.9s…', (text) => {
    for (const target of [text, `/app/${text}`, `/session/${text}/app/key`, `/pusher/app/key/1/${text}/xhr`])
      for (const read of [connectionRequest, httpRequest]) expect(() => read(target, '', false)).not.toThrow();
  });

  it.each(hostile)('for any origin: %.9s…', (text) => {
    const app = appFrom({ id: '1', key: 'key', secret: 'secret', allowedOrigins: ['*.*.*.*.*.example.com'] });
    const origins = [text, `https://${text}`, `https://a.${text.replaceAll(/[^\w.]/g, '')}.com`];
    for (const origin of origins) expect(isOriginAllowed(app, { headers: { origin } } as IncomingMessage)).toBe(false);
  });
});

it.each([
  [['null'], true],
  [['shop.example', 'NULL'], true],
  [['*'], true],
  [['shop.example'], false],
  [['n*'], false],
  [['*l'], false],
  [[], false],
])('lets a sandboxed frame connect where %j are allowed: %s', (allowedOrigins, isAllowed) => {
  const app = appFrom({ id: '1', key: 'key', secret: 'secret', allowedOrigins });
  expect(isOriginAllowed(app, { headers: { origin: 'null' } } as IncomingMessage)).toBe(isAllowed);
});
