import { cpSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitepress';
import { landing, withoutHeading } from '../landing.mjs';
import { writeMarkdown } from '../markdown.mjs';
import { addressOf, groups, pages, placeOf, rewritten, root, titleOf } from '../pages.mjs';
import { miniSearch } from '../search.mjs';
import { sourceAddressOf, writeSource } from '../source.mjs';

/** The pages stand outside of this package, and Vite would look for Vue beside them. */
const vueOfThisPackage = {
  name: 'vue-of-this-package',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined),
};

export default defineConfig({
  title: 'Rookery',
  description: 'Realtime and push notifications on your own machines, for the SDKs you already use.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcDir: root,
  srcExclude: readdirSync(root).flatMap((name) =>
    name === 'docs' || pages.includes(name) ? [] : [name, `${name}/**`],
  ),
  rewrites: (path) => (pages.includes(path) ? rewritten(path) : path),
  cleanUrls: true,
  // A link that leads nowhere ends the build; addresses of a server on this machine are examples.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  vite: { plugins: [vueOfThisPackage], build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/channels' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Reference', link: '/options' },
      { text: 'Source', link: '/source/', target: '_self' },
    ],
    // What stands before a page's first heading is not searched, so the landing has its heading here.
    search: {
      provider: 'local',
      options: { miniSearch, _render: (text, env, markdown) => markdown.render(text, { ...env, isSearched: true }) },
    },
    // What a screen reader says is what the page shows.
    notFound: { linkText: 'Take me home', linkLabel: 'Take me home' },
    sidebar: groups.map(({ text, paths }) => ({
      text,
      items: paths.map((path) => ({ text: titleOf(path), link: addressOf(path) })),
    })),
    outline: [2, 3],
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: asOnForges },
    config(markdown) {
      markdown.core.ruler.push('heading-of-the-landing', withoutHeading);
      markdown.core.ruler.push('links-of-the-repository', rewriteLinks);
    },
  },
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === 'index.md' ? { title: '', frontmatter: { ...frontmatter, ...landing } } : undefined,
  transformHead: ({ pageData: { relativePath } }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }],
  ],
  buildEnd({ outDir }) {
    cpSync(join(root, 'apps/console/public/icon.svg'), join(outDir, 'icon.svg'));
    writeSource(outDir);
    writeMarkdown(outDir);
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

/** Pages link to each other, and to files of the repository, by their paths, as a forge wants it. */
function rewriteLinks({ env, tokens }) {
  const page = relative(root, env.realPath ?? env.path);
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const place = token.type === 'link_open' ? placeOf(token.attrGet('href'), page) : undefined;
    if (!place) continue;
    const { path, hash } = place;
    token.attrSet('href', (pages.includes(path) ? addressOf(path) : sourceAddressOf(path)) + hash);
    // The files are no pages of VitePress: the browser loads them.
    if (!pages.includes(path)) token.attrSet('target', '_self');
  }
}
