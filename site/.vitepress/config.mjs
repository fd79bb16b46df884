import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { readingOrder } from '../reading-order.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const groups = readingOrder(root);
const pages = groups.flatMap(({ paths }) => paths);

/** `docs/push.md` is served as /push, a folder's README as the folder, and `SECURITY.md` as /project/security. */
const rewritten = (path) =>
  path.startsWith('docs/')
    ? path.slice('docs/'.length).replace(/README\.md$/, 'index.md')
    : `project/${path.toLowerCase()}`;
const addressOf = (path) => `/${rewritten(path).replace(/(index)?\.md$/, '')}`;
const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path;

/** The pages stand outside of this package, and Vite would look for Vue beside them. */
const vueOfThisPackage = {
  name: 'vue-of-this-package',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined),
};

export default defineConfig({
  title: 'Rookery',
  description: 'Realtime and push notifications on your own machines, for the SDKs you already use.',
  srcDir: root,
  srcExclude: readdirSync(root).flatMap((name) =>
    name === 'docs' || pages.includes(name) ? [] : [name, `${name}/**`],
  ),
  rewrites: (path) => (pages.includes(path) ? rewritten(path) : path),
  cleanUrls: true,
  // A link that leads nowhere ends the build; addresses of a server on this machine are examples.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  vite: { plugins: [vueOfThisPackage] },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: groups.map(({ text, paths }) => ({
      text,
      collapsed: text === 'The project',
      items: paths.map((path) => ({ text: titleOf(path), link: addressOf(path) })),
    })),
    outline: [2, 3],
  },
  markdown: {
    anchor: { slugify: asOnForges },
    config: (markdown) => markdown.core.ruler.push('links-of-the-repository', rewriteLinks),
  },
});

/** The anchor of a heading, as forges make it: the pages link to each other's headings by these. */
function asOnForges(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Pages link to each other by their paths, as a forge wants it: here they become addresses. Links to other files of the
 * repository become text, since the site does not have them.
 */
function rewriteLinks({ env, tokens }) {
  for (const { children } of tokens) {
    let isFile = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') {
        const place = placeOf(token.attrGet('href'), env.realPath ?? env.path);
        isFile = place !== undefined && !pages.includes(place.path);
        if (isFile) Object.assign(token, { tag: 'span', attrs: [] });
        else if (place) token.attrSet('href', addressOf(place.path) + place.hash);
      } else if (token.type === 'link_close' && isFile) token.tag = 'span';
    }
  }
}

/** The file of the repository that a link leads to; none where there is no such file, which is then a dead link. */
function placeOf(href, page) {
  const [, path, hash] = /^([^#]*)(#.*)?$/.exec(href);
  if (path === '' || path.startsWith('/') || /^[a-z]+:/i.test(path)) return undefined;
  const file = resolve(dirname(page), decodeURI(path));
  return existsSync(file) ? { path: relative(root, file), hash: hash ?? '' } : undefined;
}
