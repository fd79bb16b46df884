export const miniSearch: {
  options: { processTerm(term: string): string | null };
  searchOptions: {
    fuzzy: number;
    prefix: boolean;
    boost: { title: number; text: number; titles: number };
    boostDocument(id: string): number;
  };
};
