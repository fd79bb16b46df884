import type { ServerConfig } from './config/config.js';

/** What whoever tries the server wants next: a page, a client and an event, each to be pasted as it is. */
export function welcome(url: string, { apps: [app], role }: ServerConfig): readonly string[] {
  if (!app || role === 'worker') return [];
  return [
    `Open ${url} in two tabs and see them talk. Or in a page of yours, with pusher-js:`,
    '',
    ...pusherJsSnippet(url, app.key).map((line) => `  ${line}`),
    '',
    'and in another terminal:',
    '',
    `  ${triggerLine(url)}`,
    '',
    '`npx rookery --help` has the other commands.',
  ];
}

/** The client of a server at that URL; nothing in it ever asks a hosted service. */
export function pusherJsSnippet(url: string, key: string): readonly string[] {
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  return [
    `const pusher = new Pusher('${key}', {`,
    "  cluster: 'self', // any text: pusher-js wants one",
    `  wsHost: '${hostname}', ${isTls ? 'wssPort' : 'wsPort'}: ${port || (isTls ? 443 : 80)}, forceTLS: ${isTls},`,
    "  enabledTransports: ['ws', 'wss'],",
    '});',
    "pusher.subscribe('my-channel').bind('my-event', (data) => console.log(data));",
  ];
}

const triggerLine = (url: string): string =>
  `npx rookery trigger my-channel my-event '{"hello":"world"}'${new URL(url).port === '6001' ? '' : ` --url ${url}`}`;
