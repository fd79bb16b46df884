interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: string;
  readonly text: string;
}

type Field = 'title' | 'titles' | 'text' | 'words';

export const miniSearch: {
  options: {
    fields: readonly Field[];
    extractField(section: Section, field: Field): string | undefined;
    tokenize(text: string): string[];
    processTerm(term: string): string | null;
  };
  searchOptions: {
    fuzzy(term: string): number | false;
    prefix: boolean;
    weights: { fuzzy: number; prefix: number };
    boost: Readonly<Record<Field, number>>;
    bm25: { k: number; b: number; d: number };
    boostTerm(term: string): number;
    boostDocument(id: string): number;
  };
};
