import { describe, expect, it } from 'vitest';
import { searchWords } from '../../site/search-words.mjs';
import { siteQuestions } from '../support/site-questions.js';
import { sectionsOf, SiteSearch, siteSections } from '../support/site-search.js';

describe('the search of the site', () => {
  const search = new SiteSearch();

  it.each(siteQuestions)('answers "%s" at %s', (question, section) => {
    expect(search.ask(question).slice(0, 3)).toContain(section);
  });

  it('has words only for sections that there are', () => {
    const ids = new Set(siteSections().map(({ id }) => id));
    expect(Object.keys(searchWords).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('finds guides before specifications of the wire', () => {
    const firsts = siteQuestions.flatMap(([question]) => search.ask(question).slice(0, 1));
    expect(firsts.filter((section) => section.startsWith('/protocol/'))).toEqual([]);
  });

  it('finds nothing for a word that no page has', () => {
    expect(search.ask('xyzzyfoobar')).toEqual([]);
  });

  it('loses a section that no longer has the words', () => {
    const page = (text: string) => sectionsOf('/tea', `# Tea\n\n## Kettles\n\n${text}\n\n## Cups\n\nA cup.\n`);
    expect(new SiteSearch(page('Boil with a samovar.')).ask('samovar')).toEqual(['/tea#kettles']);
    expect(new SiteSearch(page('Boil.')).ask('samovar')).toEqual([]);
  });
});

it('reads the headings and what a reader sees of a page', () => {
  const page = '# Tea\n\nA [drink](drinks.md).\n\n## `green` tea\n\n| a | b |\n| - | - |\n\n```sh\n# no heading\n```\n';
  expect(sectionsOf('/tea', page)).toEqual([
    { id: '/tea', title: 'Tea', titles: '', text: expect.stringMatching(/^\s*A drink\.\s*$/) as string },
    {
      id: '/tea#green-tea',
      title: 'green tea',
      titles: 'Tea',
      text: expect.stringContaining('# no heading') as string,
    },
  ]);
});
