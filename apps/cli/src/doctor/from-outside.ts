import { randomUUID } from 'node:crypto';
import { channelsClient } from '@rookery/client/server';
import { Socket } from '../channels/socket.js';
import { Fault, lineOf } from '../fault.js';
import { answered } from '../server/answers.js';
import type { ServedApp } from '../server/app-options.js';
import { httpGreeting } from './http-greeting.js';
import { about, clockFinding, type Findings } from './finding.js';

/** How long an event may take to arrive, in milliseconds. */
const patienceMs = 10_000;

const proxy = 'Configure the proxy to forward all paths with their queries, and to leave bodies unchanged';
const upgrade =
  'Configure the proxy to forward upgrades: HTTP/1.1, and the headers Upgrade and Connection (nginx: proxy_http_version 1.1; ' +
  'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade")';

/** Checks whether clients and servers reach the server at a URL: with a signed request, a handshake, and an event. */
export async function* outsideFindings(app: ServedApp): Findings {
  const say = about(app.url);
  // A proxy may forward only the path of the sockets; the API answers there, too.
  const client = channelsClient({ ...app, url: app.url + app.socketPath, fetch: dated });
  let clock: { readonly theirs: number; readonly before: number } | undefined;
  async function dated(url: string, request: RequestInit): Promise<Response> {
    const before = Date.now();
    const response = await fetch(url, request);
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) clock = { theirs: date, before };
    return response;
  }
  try {
    await answered(app.url, client.get('channels'));
    yield say.ok('it answers a signed request');
    // The header is in whole seconds.
    if (clock) yield clockFinding(app.url, "the server's", clock.theirs, clock.before - 1000, Date.now());
  } catch (error) {
    // A wrong clock may be why the signature was refused.
    if (clock) yield clockFinding(app.url, "the server's", clock.theirs, clock.before - 1000, Date.now());
    yield say.fault(lineOf(error), fixOf(lineOf(error)));
    return;
  }
  const transport = app.url.startsWith('https') ? 'wss' : 'ws';
  try {
    const ms = await eventOver(app, client);
    yield say.ok(`${transport} accepts a handshake and a subscription, and delivered an event within ${ms} ms`);
  } catch (error) {
    yield say.fault(`${transport}: ${lineOf(error)}`, upgrade);
  }
  for (const [name, path] of Object.entries(httpTransports))
    try {
      await httpGreeting(app, path);
      yield say.ok(`${name} sends its greeting`);
    } catch (error) {
      yield say.fault(`${name}: ${lineOf(error)}`, unbuffered);
    }
}

/** For networks that block WebSockets. */
const httpTransports = { xhr_streaming: 'xhr_streaming', xhr_polling: 'xhr' } as const;
const unbuffered = 'Configure the proxy to forward paths below /pusher without buffering (nginx: proxy_buffering off)';

function fixOf(text: string): string {
  if (/ answers 401/.test(text))
    return 'Select an app that this server has: --app, --key and --secret, or its configuration';
  if (/ answers 40[34]/.test(text)) return `${proxy}; or select an app that this server has`;
  if (/certificate|self-signed|TLS|SSL/i.test(text))
    return 'Serve a certificate for this name with its whole chain; NODE_EXTRA_CA_CERTS adds a certificate authority';
  return / answers /.test(text) ? proxy : 'Start the server, or set its URL with --url';
}

/** Subscribes, triggers, and waits for the event. Returns how long it took, in milliseconds. */
async function eventOver(app: ServedApp, client: ReturnType<typeof channelsClient>): Promise<number> {
  const channel = `private-doctor-${randomUUID()}`;
  let heard: (event: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const next = (event: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Fault(`${event} did not arrive within ${patienceMs / 1000} s`)),
        patienceMs,
      );
      heard = (each) => each === event && (clearTimeout(late), resolve());
      fail = (error) => (clearTimeout(late), reject(error));
    });
  const socket = await Socket.connect(app, {
    received: ({ event, data }) =>
      event === 'pusher:error' ? fail(new Fault(`it refuses: ${JSON.stringify(data)}`)) : heard(event),
    lost: (code, reason) => fail(new Fault(`the connection was lost: ${code} ${reason}`)),
  });
  try {
    const subscribed = next('pusher_internal:subscription_succeeded');
    socket.subscribe(channel, await client.authorizeChannel(socket.id, channel));
    await subscribed;
    const begun = performance.now();
    const arrived = next('doctor');
    await Promise.all([arrived, answered(app.url, client.trigger(channel, 'doctor', '{}'))]);
    return Math.round(performance.now() - begun);
  } finally {
    socket.close();
  }
}
