/**
 * How the site's search weighs what it finds. VitePress sends these functions to the browser as text: they use nothing
 * but their parameters.
 */
export const miniSearch = {
  options: {
    /** Words that every page has find nothing. */
    processTerm: (term) =>
      /^(an?|and|are|as|at|be|by|can|did|do|does|for|from|has|have|how|i|in|is|it|its|my|no|not|of|on|or|that|the|this|to|was|what|when|where|which|who|why|will|with|you|your)$/i.test(
        term,
      )
        ? null
        : term.toLowerCase(),
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    /** Guides come before the specifications of the wire, figures and the project's own pages. */
    boostDocument: (id) =>
      /^\/(protocol|project|adr)\//.test(id) ? 0.25 : /^\/(performance|comparison)/.test(id) ? 0.5 : 1,
  },
};
