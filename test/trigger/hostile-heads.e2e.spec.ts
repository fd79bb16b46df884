import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRequest, overSocket } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { cpuMs } from '../support/cpu-time.js';
import { rawExchange } from '../support/raw-http.js';

// What a request's head of 16 kB costs. Their senders know no more than an app's key, and are not signed in.

let server: ChannelsServer;
beforeAll(async () => void (server = await startChannels({ apps: [testApp], bypassRouter: true })));
afterAll(() => server.close());

/** A request costs at most so many times what an ordinary one costs at the same time. */
const most = 10;

/** As much as a head may have. */
const filledWith = (text: string): string => text.repeat(15_000 / text.length);
const body = '{"name":"e","channel":"news","data":"x"}';
const unsigned = (): string =>
  `auth_key=${testApp.key}&auth_timestamp=${Math.floor(Date.now() / 1000)}&auth_version=1.0&` +
  `body_md5=${createHash('md5').update(body).digest('hex')}&auth_signature=${'0'.repeat(64)}`;

const answerTo = async (method: ApiRequest['method'], url: string): Promise<number> => {
  const { status } = await overSocket(server, { method, url, ...(method === 'POST' && { body }) });
  return status;
};

const sendPlain = (): Promise<number> => answerTo('GET', `/apps/${testApp.id}/channels?${unsigned()}`);

/** How many times as much of the processor a request costs as an ordinary one, clients included: by the least of some. */
async function timesPlain(send: () => Promise<unknown>): Promise<number> {
  let [cost, plain] = [Infinity, Infinity];
  for (let n = 0; n < 8; n++) {
    plain = Math.min(plain, await cpuMs(sendPlain));
    cost = Math.min(cost, await cpuMs(send));
  }
  return cost / plain;
}

describe('a request costs little', () => {
  it.each<[string, number, ApiRequest['method'], () => string]>([
    ['with parameters that cannot be decoded', 400, 'GET', () => `?${unsigned()}${filledWith('&%')}`],
    ['with such parameters, and a +', 400, 'GET', () => `?${unsigned()}&+${filledWith('&%')}`],
    ['with such parameters and no key', 400, 'GET', () => `?${filledWith('&%')}`],
    ['with an unknown key', 401, 'GET', () => `?auth_key=unknown${filledWith('&%')}`],
    ['with parameters without values', 400, 'GET', () => `?${unsigned()}${filledWith('&')}`],
    ['with a path of escaped escapes', 401, 'GET', () => `${filledWith('/%25')}?${unsigned()}`],
    ['on the fast path', 400, 'POST', () => `?${unsigned()}${filledWith('&%')}`],
    ['on the fast path, with a +', 400, 'POST', () => `?${unsigned()}&+${filledWith('&%')}`],
  ])('%s', async (_, status, method, end) => {
    const resource = method === 'GET' ? 'channels' : 'events';
    const times = await timesPlain(async () => {
      expect(await answerTo(method, `/apps/${testApp.id}/${resource}${end()}`)).toBe(status);
    });
    expect(times).toBeLessThan(most);
  });

  it('with a host of spaces, where an app is for this machine only', async () => {
    const local = await startChannels({ apps: [testApp], localOnly: [testApp.id], bypassRouter: true });
    const head = [`POST /apps/${testApp.id}/events HTTP/1.1`, `Host: a${filledWith(' ')}b`, 'Content-Length: 0'];
    const times = await timesPlain(async () => {
      expect(await rawExchange(local.port, [`${head.join('\r\n')}\r\n\r\n`], { end: true })).toMatch(/^HTTP\/1\.1 4/);
    });
    expect(times).toBeLessThan(most);
    await local.close();
  });
});
