import { miniSearch } from '../../site/search.mjs';
import { addressOf, pages, textOf } from '../../site/pages.mjs';

/** A section of a page, as VitePress gives it to MiniSearch. */
interface Section {
  /** Such as `/push#browsers`; without an anchor, the beginning of the page. */
  readonly id: string;
  readonly title: string;
  /** The headings above its own. */
  readonly titles: string;
  readonly text: string;
}

/** The anchor of a heading, as site/.vitepress/config.mjs makes it. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}_\- ]/gu, '')
    .replaceAll(' ', '-');

const withoutLinks = (markdown: string): string => markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');

/** What a reader sees of Markdown. */
const shown = (markdown: string): string =>
  withoutLinks(markdown)
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/^[|:\- ]+$/gm, '')
    .replaceAll(/^ *```\w*$/gm, '')
    .replaceAll(/[`*|\\]/g, ' ');

/** The sections of a page. A heading within a fenced block is none. */
export function sectionsOf(address: string, markdown: string): Section[] {
  const above: string[] = [];
  const sections: (Omit<Section, 'text'> & { text: string })[] = [];
  let isFenced = false;
  for (const line of markdown.split('\n')) {
    if (/^ *```/.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : /^(#+) (.+)$/.exec(line);
    if (!heading) {
      const last = sections.at(-1);
      if (last) last.text += `${line}\n`;
      continue;
    }
    const [, { length: depth }, text] = heading as unknown as [string, string, string];
    const title = withoutLinks(text).replaceAll(/[`*\\]/g, '');
    above.splice(depth - 1, Infinity, title);
    const id = depth === 1 ? address : `${address}#${anchorOf(title)}`;
    sections.push({ id, title, titles: above.slice(0, -1).join(','), text: '' });
  }
  return sections.map((section) => ({ ...section, text: shown(section.text) }));
}

export const siteSections = (): Section[] => pages.flatMap((path) => sectionsOf(addressOf(path), textOf(path)));

const { fields, extractField, tokenize, processTerm } = miniSearch.options;
type Counts = Map<number, number>;
type Postings = Record<(typeof fields)[number], Counts>;

/**
 * The site's search, on what `npm test` has: the site's own settings (site/search.mjs) with the scores of MiniSearch,
 * which is installed only with the site. test/package/site.spec.ts asks the site itself the same questions.
 */
export class SiteSearch {
  private readonly terms = new Map<string, Postings>();
  private readonly lengths: Record<string, number>[] = [];
  private readonly averages: Record<string, number> = {};
  /** By word of a question. */
  private readonly known = new Map<string, ReadonlyMap<number, number>>();

  constructor(private readonly sections: readonly Section[] = siteSections()) {
    sections.forEach((section, at) => this.add(section, at));
    for (const field of fields)
      this.averages[field] = this.lengths.reduce((sum, each) => sum + each[field]!, 0) / sections.length;
  }

  /** The ids of the sections that match, the best first. */
  ask(question: string): readonly string[] {
    const found = new Map<number, { score: number; terms: Set<string> }>();
    for (const term of tokenize(question).flatMap((each) => processTerm(each) ?? []))
      for (const [at, score] of this.scores(term)) {
        const before = found.get(at) ?? { score: 0, terms: new Set() };
        found.set(at, { score: before.score + score, terms: before.terms.add(term) });
      }
    return [...found]
      .toSorted(([, a], [, b]) => b.score * b.terms.size - a.score * a.terms.size)
      .map(([at]) => this.sections[at]!.id);
  }

  private add(section: Section, at: number): void {
    const length: Record<string, number> = {};
    for (const field of fields) {
      const all = tokenize(extractField(section, field) ?? '');
      length[field] = new Set(all).size;
      for (const token of all) {
        const term = processTerm(token);
        if (!term) continue;
        let postings = this.terms.get(term);
        if (!postings)
          this.terms.set(term, (postings = { title: new Map(), titles: new Map(), text: new Map(), words: new Map() }));
        postings[field].set(at, (postings[field].get(at) ?? 0) + 1);
      }
    }
    this.lengths.push(length);
  }

  /** The scores of the sections that have a word of the question, one that begins with it, or a similar one. */
  private scores(asked: string): ReadonlyMap<number, number> {
    const known = this.known.get(asked);
    if (known) return known;
    const { fuzzy, boost, boostDocument, boostTerm } = miniSearch.searchOptions;
    const scores = new Map<number, number>();
    const maxDistance = Math.round(asked.length * (fuzzy(asked) || 0));
    for (const [term, postings] of this.terms) {
      const weight = weightOf(asked, term, maxDistance);
      if (weight === 0) continue;
      for (const field of fields)
        for (const [at, frequency] of postings[field]) {
          const factor = weight * boostTerm(asked) * boost[field] * boostDocument(this.sections[at]!.id);
          const raw = this.bm25(frequency, postings[field].size, this.lengths[at]![field]! / this.averages[field]!);
          scores.set(at, (scores.get(at) ?? 0) + factor * raw);
        }
    }
    this.known.set(asked, scores);
    return scores;
  }

  private bm25(frequency: number, matching: number, length: number): number {
    const { k, b, d } = miniSearch.searchOptions.bm25;
    const rarity = Math.log(1 + (this.sections.length - matching + 0.5) / (matching + 0.5));
    return rarity * (d + (frequency * (k + 1)) / (frequency + k * (1 - b + b * length)));
  }
}

/** As MiniSearch weighs exact words, prefixes and words with typing errors. */
function weightOf(asked: string, term: string, maxDistance: number): number {
  const { weights } = miniSearch.searchOptions;
  if (term === asked) return 1;
  const longer = term.length - asked.length;
  if (term.startsWith(asked)) return (weights.prefix * term.length) / (term.length + 0.3 * longer);
  if (Math.abs(longer) > maxDistance) return 0;
  const distance = distanceOf(asked, term);
  return distance <= maxDistance ? (weights.fuzzy * term.length) / (term.length + distance) : 0;
}

/** The edits from one word to the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (to[j - 1] === letter ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}
