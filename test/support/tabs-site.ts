import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type PusherServer from 'pusher';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const imports = (build: string, release = 'pusher-js'): string => `
  import Pusher from ${JSON.stringify(`${root}node_modules/${release}/${build}.js`)};
  import { request, serveTabs, sharedPusher } from ${JSON.stringify(`${root}libs/sdk/src/client/index.mts`)};`;
const page = (release?: string): string =>
  `${imports('dist/web/pusher', release)} Object.assign(globalThis, { Pusher, request, sharedPusher });`;
const scripts = {
  '/page.js': page(),
  '/7/page.js': page('pusher-js-7'),
  '/worker.js': `${imports('dist/worker/pusher.worker')} serveTabs(Pusher);`,
};

/** What an application's bundler makes of a script. */
async function bundledScript(code: string): Promise<string> {
  const input = 'virtual:script';
  const entry = {
    name: 'script',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? code : null),
  };
  const bundle = await rolldown({ input, plugins: [entry] });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  return output[0].code;
}

/**
 * A site whose pages share tabs: with its scripts, and an endpoint that records for which channels it is asked. Its page
 * `/7/` has pusher-js 7.
 */
export async function startTabsSite(pusher: PusherServer) {
  const built = new Map<string, string>();
  for (const [path, code] of Object.entries(scripts)) built.set(path, await bundledScript(code));
  const asked: string[] = [];
  const authorize = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const channel = form.get('channel_name') ?? '';
    asked.push(channel);
    const token = pusher.authorizeChannel(form.get('socket_id') ?? '', channel, { user_id: 'alice' });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
  };
  const server = createServer((request, response) => {
    const script = built.get(request.url ?? '');
    if (request.url === '/pusher/auth') void authorize(request, response);
    else if (script) response.setHeader('content-type', 'text/javascript').end(script);
    else response.setHeader('content-type', 'text/html').end('<script type="module" src="page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
