import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Serves a folder as hosts of static sites do: `/push` is `push.html`, and a folder is its `index.html`. */
export async function serveStatic(folder: string): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const file = (path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`]).find(
      (each) => existsSync(each) && extname(each) !== '',
    );
    if (!file) response.writeHead(404).end();
    else
      response.setHeader('content-type', types[extname(file)] ?? 'text/plain; charset=utf-8').end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
