import { useData } from 'vitepress';
import { h } from 'vue';

/** Leads to the page as Markdown. */
export const MarkdownLink = () => {
  const { page } = useData();
  return h(
    'p',
    { class: 'markdown-link' },
    h('a', { href: `/${page.value.relativePath}`, target: '_self' }, 'This page as Markdown'),
  );
};
