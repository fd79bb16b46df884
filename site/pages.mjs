import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readingOrder } from './reading-order.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const groups = readingOrder(root);
export const pages = groups.flatMap(({ paths }) => paths);

/** `docs/push.md` is served as /push, a folder's README as the folder, and `SECURITY.md` as /project/security. */
export const rewritten = (path) =>
  path.startsWith('docs/')
    ? path.slice('docs/'.length).replace(/README\.md$/, 'index.md')
    : `project/${path.toLowerCase()}`;
export const addressOf = (path) => `/${rewritten(path).replace(/(index)?\.md$/, '')}`;

export const textOf = (path) => readFileSync(join(root, path), 'utf8');
export const titleOf = (path) => /^# (.+)$/m.exec(textOf(path))?.[1] ?? path;

/** The file or folder of the repository that a link leads to; none where it leads elsewhere, or nowhere. */
export function placeOf(href, page) {
  const [, path, hash] = /^([^#]*)(#.*)?$/.exec(href);
  if (path === '' || path.startsWith('/') || /^[a-z]+:/i.test(path)) return undefined;
  const file = resolve(dirname(join(root, page)), decodeURI(path));
  return existsSync(file) ? { path: relative(root, file), hash: hash ?? '' } : undefined;
}
