import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { groups, root } from '../../site/pages.mjs';

/** The tasks of the first page, with the pages that each line leads to. */
function tasksOf(markdown: string): { text: string; paths: string[] }[] {
  return Array.from(markdown.matchAll(/^- \*\*(.+?)\*\*: (.*)$/gm), ([, text = '', line = '']) => ({
    text,
    paths: Array.from(line.matchAll(/\]\(([^)#]+)\)/g), ([, path = '']) =>
      relative(root, join(root, dirname('docs/index.md'), path)),
    ),
  }));
}

it('goes by the same tasks on the first page as in the navigation', () => {
  const listed = groups
    .filter(({ text }) => text !== 'The project')
    .map(({ text, paths }) => ({
      text,
      // The first page names itself nowhere, and a folder by its README.
      paths: paths.filter((path) => path !== 'docs/index.md' && !/^docs\/\w+\/(?!README)/.test(path)),
    }));
  expect(tasksOf(readFileSync(join(root, 'docs/index.md'), 'utf8'))).toEqual(listed);
});

it('has every page in a group with a name', () => {
  expect(groups.map(({ text }) => text)).not.toContain('More');
});
