export const miniSearch: {
  options: {
    tokenize(text: string, field?: string): string[];
    processTerm(term: string): string | null;
  };
  searchOptions: {
    fuzzy(term: string): number | false;
    prefix: boolean;
    weights: { fuzzy: number; prefix: number };
    boost: { title: number; text: number; titles: number };
    bm25: { k: number; b: number; d: number };
    boostTerm(term: string): number;
    boostDocument(id: string): number;
  };
};
