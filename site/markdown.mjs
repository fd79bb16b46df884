import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groups, pages, placeOf, rewritten, textOf, titleOf } from './pages.mjs';
import { sourceAddressOf } from './source.mjs';

/** Writes each page as Markdown beside its HTML, and `llms.txt`, which lists them. */
export function writeMarkdown(outDir) {
  for (const path of pages) write(join(outDir, rewritten(path)), withSiteLinks(path));
  write(join(outDir, 'llms.txt'), llmsText());
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text of a page, with links that lead to the Markdown of other pages and to files in the site. */
const withSiteLinks = (path) =>
  textOf(path).replace(/(\]\()([^)\s]+)(\))/g, (all, before, href, after) => {
    const place = placeOf(href, path);
    if (!place) return all;
    const { path: target, hash } = place;
    return before + (pages.includes(target) ? `/${rewritten(target)}` : sourceAddressOf(target)) + hash + after;
  });

/** As https://llmstxt.org describes it. */
function llmsText() {
  const sections = groups.map(({ text: heading, paths }) => {
    const lines = paths.map((path) => `- [${titleOf(path)}](/${rewritten(path)})${summary(path)}`);
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  const about = sentencesOf('docs/index.md').join(' ');
  return `# Rookery\n\n> ${about}\n\nEach of these addresses is a page as Markdown.\n\n${sections.join('\n')}`;
}

/** Its first sentence. The pages of SDKs begin with what was tried. */
function summary(path) {
  const [sentence] = path.startsWith('docs/sdks/') ? [] : sentencesOf(path);
  return sentence === undefined ? '' : `: ${sentence}`;
}

/** The sentences of a page's first paragraph, without links and emphasis. */
function sentencesOf(path) {
  const [, paragraph = ''] = /^# .*\n\n([A-Z`*[][^\n]*)$/m.exec(textOf(path)) ?? [];
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
  return plain.match(/.+?\.(?= [A-Z]|$)/g)?.map((sentence) => sentence.trim()) ?? [];
}
