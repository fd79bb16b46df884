import type { ServerConfig } from './config/config.js';

/** Suggestions for development: a page, two commands and a client, ready to paste. */
export function welcome(
  url: string,
  { apps: [app], instances: [instance], console, role }: ServerConfig,
): readonly string[] {
  if (!app || role === 'worker') return [];
  return [
    `Try it: open ${url} in two tabs, and they talk to each other. Or paste in two other terminals:`,
    '',
    `  ${command('subscribe my-channel', url)}`,
    `  ${command(`trigger my-channel my-event '{"hello":"world"}'`, url)}`,
    '',
    'In a page of yours, with pusher-js:',
    '',
    ...pusherJsSnippet(url, app.key).map((line) => `  ${line}`),
    '',
    ...(console && instance?.web
      ? [
          `For a first notification, open ${url}/console/instances/${instance.id}/devices and register your browser.`,
          '',
        ]
      : []),
    '`npx rookery --help` lists the other commands.',
  ];
}

/** A pusher-js client for a server at that URL; it never contacts a hosted service. */
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

/** In a clone, npx runs the clone's command; elsewhere, that of the installed release. */
const command = (line: string, url: string): string =>
  `npx rookery ${line}${new URL(url).port === '6001' ? '' : ` --url ${url}`}`;
