import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from './pages.mjs';

const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 });
/** The repository's own files, but those that are removed and not committed yet. */
const files = listed
  .split('\0')
  .filter((path) => path !== '' && !/(^|\/)package-lock\.json$/.test(path) && existsSync(join(root, path)));
const folders = new Set(['', ...files.flatMap(foldersOf)]);

function foldersOf(path) {
  const names = path.split('/').slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'));
}

/** Where the site has a file or a folder of the repository. */
export const sourceAddressOf = (path) =>
  path === '' ? '/source/' : folders.has(path) ? `/source/${path}/` : `/source/${path}${isImage(path) ? '' : '.html'}`;

const isImage = (path) => /\.(png|svg)$/.test(path);
// Databases and archives of tests.
const isBinary = (path) => /\.(db|tgz)$/.test(path);

/** Writes a page for each file and each folder of the repository. */
export function writeSource(outDir) {
  for (const folder of folders) write(outDir, `source/${folder}/index.html`, folderPage(folder));
  for (const path of files.filter((path) => !isBinary(path))) {
    if (isImage(path)) cpSync(join(root, path), join(outDir, 'source', path));
    else write(outDir, `source/${path}.html`, filePage(path));
  }
}

function write(outDir, name, text) {
  const path = join(outDir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const filePage = (path) =>
  page(
    path,
    `<pre tabindex="0" aria-labelledby="path"><code>${escaped(readFileSync(join(root, path), 'utf8'))}</code></pre>`,
  );

function folderPage(folder) {
  const inIt = (path) => path !== '' && (dirname(path) === folder || (folder === '' && !path.includes('/')));
  const names = [...[...folders].filter(inIt), ...files.filter((path) => inIt(path) && !isBinary(path))];
  const items = names.map((path) => `<li>${link(path, basename(path) + (folders.has(path) ? '/' : ''))}</li>`);
  return page(folder, `<ul>${items.join('\n')}</ul>`);
}

const link = (path, text) => `<a href="${sourceAddressOf(path)}">${escaped(text)}</a>`;

function page(path, content) {
  const above = ['', ...foldersOf(path)].map((folder) => link(folder, folder === '' ? 'Source' : basename(folder)));
  const crumbs = [`<a href="/">Rookery</a>`, ...above].join(' / ');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escaped(path || 'Source')} | Rookery</title>
<link rel="icon" href="/icon.svg" />
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
  body { margin: 0 auto; padding: 1rem; max-width: 72rem; }
  h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
  pre { overflow-x: auto; font-size: 13px; line-height: 1.5; }
</style>
<header><nav aria-label="Folders">${crumbs}</nav></header>
<main>
<h1 id="path">${escaped(path || 'Source')}</h1>
${content}
</main>
</html>
`;
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
