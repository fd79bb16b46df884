import { searchWords } from './search-words.mjs';

/**
 * How the site's search reads texts and weighs what it finds. VitePress sends these functions to the browser as text:
 * they use nothing but their parameters. Only `extractField` does, which the browser never calls.
 */
export const miniSearch = {
  options: {
    fields: ['title', 'titles', 'text', 'words'],
    /** VitePress names the beginning of a page by its heading, as in `/push#push`. */
    extractField: (section, field) =>
      field === 'words'
        ? searchWords[section.titles.length === 0 ? section.id.replace(/#.*/, '') : section.id]
        : section[field],
    /** The words of a text. A name, as of an option, is found whole, and by its own words. */
    tokenize: (text) => {
      // Spellings of one thing
      const same = [
        [/\b(ca|do|does|did|is|are|was|were|wo|would|could|should|has|have|had)n['’]?t\b/gi, 'not'],
        [/['’](s|re|ve|ll|d|m)\b/gi, ''],
        [/\b(log|sign)(g?ing|n?ing|g?ed|n?ed|s)?[ -]?ins?\b/gi, 'signin'],
        [/\b(log|sign)(g?ing|n?ing|g?ed|n?ed|s)?[ -]?outs?\b/gi, 'logout'],
        [/\bback(ing|s|ed)?[ -]up\b/gi, 'backup'],
        [/\bset(ting|s)?[ -]up\b/gi, 'setup'],
        [
          /\b(web|back|front|fail|down|up|real|time|road|dash|dead|allow|white|multi|re)[ -](?=(socket|hook|end|over|time|out|map|board|letter|list|tenan|region|connect))/gi,
          '$1',
        ],
        [/\bself[ -]host(ed|ing)?\b/gi, 'selfhosted'],
        [/\be-mails?\b/gi, 'email'],
        [/\b(socket|fly)\.io\b/gi, '$1io'],
        [/\b(next|node|vue|nuxt)\.?js\b/gi, '$1'],
        [/(?<!\w)(asp\.?net|\.NET|C#|dot ?net)(?!\w)/gi, 'dotnet'],
        [/\bpostgresql\b/gi, 'postgres'],
        [/\bk8s\b/gi, 'kubernetes'],
        [/\bdbs?\b/gi, 'database'],
        [/\bcerts?\b/gi, 'certificate'],
        [/\bmsgs?\b/gi, 'message'],
        [/\bperms?\b/gi, 'permission'],
        [/\b(creds?)\b/gi, 'credentials'],
        [/\bprod\b/gi, 'production'],
        [/\b(max|maximal|biggest|largest)\b/gi, 'maximum'],
      ];
      let all = text;
      for (const [pattern, word] of same) all = all.replace(pattern, word);
      return all.split(/[^\p{L}\p{M}\p{N}_]+/u).flatMap((name) => {
        const parts = name.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
        return parts.length > 1 ? [name.replaceAll('_', ''), ...parts] : [name];
      });
    },
    /** A word's stem; none for words that every page has. */
    processTerm: (term) => {
      const word = term.toLowerCase();
      if (
        /^(|an?|and|any|are|as|at|be|been|but|by|can|cannot|could|did|do|does|for|get|got|had|has|have|how|i|if|in|into|is|it|its|just|me|my|no|not|of|on|or|our|please|should|show|so|than|that|the|their|them|then|there|these|they|this|those|to|use|using|want|was|we|were|what|when|where|why|will|with|would|you|your)$/.test(
          word,
        )
      )
        return null;
      // The stem of cors would be that of a core.
      if (word.length < 4 || /\d|^cors$/.test(word)) return word;
      return (
        word
          // British and American spellings
          .replace(/(col|behavi|fav)our/, '$1or')
          .replace(/(.{3}[^aeiou])is(?=(e|es|ed|er|ers|ing|ation)$)/, '$1iz')
          .replace(/centre/, 'center')
          .replace(/analys(?=e|ing)/, 'analyz')
          .replace(/^licence/, 'license')
          .replace(/cancell(ed|ing|ation)/, 'cancel')
          // Plurals
          .replace(/(ies|ied)$/, 'y')
          .replace(/(ss|x|ch|sh)es$/, '$1')
          .replace(/([^sui])s$/, '$1')
          // Words whose forms have no common stem
          .replace(/^subscri(be|bing|ber|bed|ption)$/, 'subscrib')
          .replace(/^unsubscri\w+$/, 'unsubscrib')
          .replace(/^notif(ication|y|ied|ying)$/, 'notif')
          .replace(/^(config|encrypt|decrypt|deliver|regist|instal)\w*$/, '$1')
          .replace(/^fail(ed|ing|ure)$/, 'fail')
          .replace(/^expir\w+$/, 'expire')
          .replace(/^(.{4,})(?:[ai]ble|[ai]bility)$/, '$1')
          // Forms of verbs
          .replace(/^(.*[aeiouy].*?)(?:ing|ed)$/, (all, stem) =>
            stem.length < 3 ? all : stem.replace(/([^aeioulsz])\1$/, '$1'),
          )
          .replace(/^(.{4,}iz)er$/, '$1')
          .replace(/^(.{4,})(?:ation|ator|ate)$/, '$1')
          .replace(/^(.{5,})(?:ion|ment)$/, '$1')
          .replace(/^(.{3,})e$/, '$1')
      );
    },
  },
  searchOptions: {
    /** Typing errors, but not in short words and codes: 4001 is not 4009. */
    fuzzy: (term) => (term.length < 5 || /\d/.test(term) ? false : 0.2),
    prefix: true,
    weights: { fuzzy: 0.13, prefix: 0.1 },
    boost: { title: 2, words: 2.2, text: 1.4, titles: 1.2 },
    bm25: { k: 1.2, b: 0.25, d: 0.25 },
    /** Codes and languages say most, and words that are in every other section least. */
    boostTerm: (term) =>
      /\d{3}|^(django|dotnet|expo|flask|flutter|golang|java|kotlin|laravel|php|python|rail|ruby|spring|swift)$/.test(
        term,
      )
        ? 1.5
        : /^(all|api|app|applic|avail|channel|client|cod|connect|data|error|event|exampl|from|get|happen|list|make|many|messag|need|new|notif|one|pag|process|push|request|rookery|send|sent|server|servic|set|support|thing|us|user|which|work)$/.test(
              term,
            )
          ? 0.5
          : 1,
    /** Answers to symptoms and tasks come first; specifications, figures and the project's own pages last. */
    boostDocument: (id) => {
      const boosts = [
        // Every page names Rookery: the first one says what it is
        [/^\/(#rookery|$)/, 2],
        [/^\/(troubleshooting|recipes|command-line)\b/, 1.2],
        // Whoever asks for a language names it
        [/^\/sdks\/\w/, 0.85],
        [/^\/(comparison|project\/security)\b/, 0.8],
        [/^\/(options|protocol|project|adr)\b/, 0.3],
      ];
      return boosts.find(([pages]) => pages.test(id))?.[1] ?? 1;
    },
  },
};
