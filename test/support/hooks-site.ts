import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type PusherServer from 'pusher';
import type { Options } from 'pusher-js';
import { type Plugin, rolldown } from 'rolldown';
import { compileScript, parse } from 'vue/compiler-sfc';

const pages = fileURLToPath(new URL('../hooks/pages/', import.meta.url));

/** What a bundler does with a component of Vue. */
const singleFileComponents: Plugin = {
  name: 'vue',
  async load(id) {
    if (!id.endsWith('.vue')) return undefined;
    const { descriptor } = parse(await readFile(id, 'utf8'), { filename: id });
    return { code: compileScript(descriptor, { id, inlineTemplate: true }).content, moduleType: 'js' };
  },
};

/** What an application's bundler makes of a page that the documentation shows. */
async function bundledPage(path: string): Promise<string> {
  const bundle = await rolldown({
    input: pages + path,
    plugins: [singleFileComponents],
    platform: 'browser',
    resolve: { conditionNames: ['rookery-source', 'browser', 'import'] },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

const html = (globals: object, script: string): string => `<!doctype html>
  <meta charset="utf-8" />
  <link rel="icon" href="data:," />
  <div id="app"></div>
  <script>Object.assign(window, ${JSON.stringify(globals)})</script>
  <script>${script.replaceAll('</script', String.raw`<\/script`)}</script>`;

/** A site with the documented pages at `/react`, `/vue` and `/typing`, such as `/vue?user=Alice`, and an endpoint that lets all in. */
export async function startHooksSite(pusher: PusherServer, key: string, options: Options) {
  const built = new Map<string, string>();
  const entries = { '/react': 'react/main.jsx', '/typing': 'react/typing-page.jsx', '/vue': 'vue/main.js' };
  for (const [path, entry] of Object.entries(entries)) built.set(path, await bundledPage(entry));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const name = searchParams.get('user') ?? '';
    const script = built.get(pathname);
    if (script === undefined) {
      const form = new URLSearchParams(await text(request));
      const member = { user_id: name.toLowerCase(), user_info: { name } };
      const token = pusher.authorizeChannel(form.get('socket_id') ?? '', form.get('channel_name') ?? '', member);
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
    }
    const own = { ...options, channelAuthorization: { endpoint: `/auth?user=${name}`, transport: 'ajax' } };
    response.setHeader('content-type', 'text/html').end(html({ key, options: own }, script));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
