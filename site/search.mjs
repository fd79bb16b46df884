/**
 * How the site's search reads texts and weighs what it finds. VitePress sends these functions to the browser as text:
 * they use nothing but their parameters.
 */
export const miniSearch = {
  options: {
    /** The words of a section's field; without a field, those of a search, in the words of the pages. */
    tokenize: (text, field) => {
      // Spellings of one thing, in pages and in searches.
      const same = [
        [/\b(log|sign)(g?ing|n?ing|g?ed|n?ed|s)?[ -]?ins?\b/gi, 'signin'],
        [/\b(log|sign)(g?ing|n?ing|g?ed|n?ed|s)?[ -]?outs?\b/gi, 'logout'],
        [/\bback(ing|s|ed)?[ -]up\b/gi, 'backup'],
        [/\bset(ting|s)?[ -]up\b/gi, 'setup'],
        [/\bweb[ -]sockets?\b/gi, 'websocket'],
        [/\breal[ -]time\b/gi, 'realtime'],
        [/\be-mails?\b/gi, 'email'],
        [/\b(socket|fly)\.io\b/gi, '$1io'],
        [/\b(next|node|vue|nuxt)\.?js\b/gi, '$1'],
        [/(?<!\w)(\.NET|C#|dot ?net)(?!\w)/gi, 'dotnet'],
        [/\bpostgresql\b/gi, 'postgres'],
      ];
      // What readers call it, and the words with which the pages answer.
      const words = [
        // Where it runs
        ['k8s|k3s|eks|gke|aks|openshift|minikube|pods?', 'kubernetes'],
        ['elasticache|memorystore|upstash|dragonfly|keydb', 'redis'],
        ['rds|aurora|neon|cloud sql', 'postgres'],
        ['podman|containers?|dockerfile', 'docker'],
        ['ecs|fargate|ec2|lightsail', 'aws'],
        ['alb|elb|nlb', 'load balancer'],
        ['ssl', 'tls'],
        ['certs?', 'certificate'],
        ['lets ?encrypt', 'letsencrypt certbot'],
        ['env', 'environment variables'],
        ['(node|runtime) versions?|requirements?|prerequisites?', 'needs install node'],
        ['liveness|readiness|health ?checks?', 'health ready'],
        [
          'multi[- ]?(node|server|instance|machine)s?|multiple (node|server|machine|instance)s?',
          'scaling many machines',
        ],
        ['ha|high availability|redundan\\w+', 'scaling several machines'],
        ['split[- ]brain', 'cut off failover'],
        ['grace period', 'drain shutdown'],
        ['(blue[ /-]green|canary)( \\w+)?', 'rolling upgrade moving'],
        ['cpu', 'cpu cores workers'],
        ['disaster', 'backup restore'],
        ['rollback|roll back|downgrade', 'upgrading go back'],
        ['breaking changes?', 'changelog upgrading'],
        ['monitor(ing)?|observability|datadog|new relic', 'metrics prometheus alerts'],
        ['otel|tracing', 'opentelemetry traces'],
        ['benchmarks?', 'bench performance'],
        ['(load|stress) test(s|ing)?|k6|artillery|jmeter', 'bench performance load'],
        ['max(imum)?|quotas?', 'limit max'],
        ['how many', 'maximum'],
        ['too (large|big|long)|oversized?|exceed(s|ed)?', 'exceeds maximum bytes'],
        ['grow(s|ing)?|clean ?up|vacuum|retention|old data', 'kept removed days'],
        ['stored|storage|persist(ed|ence)?', 'storage stored'],
        ['admin( panel| ui| area)?|web ui|gui', 'console'],
        ['cli|terminal|shell', 'command line'],
        ['rbac|acls?|permissions?|roles?', 'authorization permission may'],
        ['leak(s|ed)?|compromised|exposed|stolen', 'replace secret'],
        ['ccpa|privacy|right to be forgotten', 'gdpr delete user personal data'],
        // Languages and services
        ['golang', 'go server'],
        ['django|flask|fastapi', 'python'],
        ['rails|sinatra', 'ruby'],
        ['spring( boot)?|kotlin|jvm', 'java'],
        ['symfony|wordpress', 'php'],
        ['asp|blazor|xamarin|maui|unity', 'dotnet'],
        ['nuxt', 'vue'],
        ['remix|gatsby', 'react'],
        ['gcm|firebase', 'firebase google fcm'],
        ['apn', 'apns apple'],
        ['iphones?|ipads?', 'ios apple iphone'],
        ['chatgpt|gpt|llms?|openai|claude|gemini', 'ai stream'],
        ['vs|versus|compared?( to| with)?|alternatives?( to)?|competitors?|instead of', 'comparison'],
        // Events and what becomes of them
        ['messages?', 'message event'],
        ['last message', 'last event cache'],
        ['payloads?', 'payload data'],
        ['whispers?', 'whisper client events'],
        ['slow consumers?|back ?pressure', 'slow client unread bytes'],
        ['bandwidth|traffic', 'bytes compressed'],
        ['airplane mode|network (chang|switch|lost|drop)\\w*|wi-?fi|flaky|subway', 'reconnect offline gap'],
        ['offline (queue|events?)', 'offline missed reconnect'],
        ['after (the )?commit', 'commit transaction'],
        ['outbox', 'outbox transactions'],
        ['statistics?|stats|analytics|open rate', 'counts outcome delivered opened'],
        ['all (users|clients|connected)|every(body| user)', 'everyone broadcast'],
        ['rpc|request[ /-]responses?', 'requests reply'],
        ['acks?|acknowledge?ments?', 'acknowledgement receipts'],
        ['dedupe|deduplicat\\w+|doubles?|twice', 'duplicate'],
        ['(exactly|at least|at most) once', 'reliability promised once'],
        ['guarante\\w+', 'guarantee promised'],
        ['ordering', 'order'],
        ['missed|catch up|recover(y|ing)?|resum(e|ing|ption)', 'missed reconnect gap'],
        ['backoff', 'retry again'],
        ['cancel|abort|interrupt', 'cancel stop'],
        ['erase|purge', 'delete'],
        ['data[- ]only', 'silent data'],
        ['sockjs|long[- ]polling|fallback', 'fall back http networks'],
        ['bundle( size)?', 'minified kB'],
        ['integration tests?|e2e( tests?)?', 'testing server'],
        // What went wrong
        [
          '(not|never|(is|does|wo|do|ca)n.?t|cannot) ((be|get|is|are) )?(show|display|appear|arriv|deliver|receiv|com(e|ing)|gott?)\\w*',
          'receive arrive troubleshooting',
        ],
        [
          '(not|never|(is|does|wo|do|ca)n.?t|cannot) (work|connect|register|start|open)\\w*|(fail|problem|issue|broken|stuck)(s|ed|ing|ure)?',
          '$& troubleshooting',
        ],
        ['keeps? \\w+ing', 'closed disconnected troubleshooting'],
        ['econnrefused', 'connection refused'],
        ['enotfound|etimedout|econnreset', 'connection refused proxy'],
        ['eaddrinuse', 'port in use'],
        // Where to begin
        ['get(ting)? started|quick ?start|tutorial|hello world', 'quick start first'],
        ['how (it|this|does it) works?', 'concepts architecture'],
      ];
      let all = text;
      for (const [pattern, word] of same) all = all.replace(pattern, word);
      if (field === undefined)
        for (const [pattern, word] of words)
          all = all.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu'), word);
      // An option or a method is found by its name, and by the words of the name.
      const tokens = all.split(/[^\p{L}\p{M}\p{N}_]+/u).flatMap((name) => {
        const parts = name.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
        return parts.length > 1 ? [name.replaceAll('_', ''), ...parts] : [name];
      });
      if (field !== undefined) return tokens;
      const asked = [...new Set(tokens.map((token) => token.toLowerCase()))].filter((token) => token !== '');
      const others = asked.filter((token) => token !== 'rookery');
      return others.length > 0 ? others : asked;
    },
    /** A word's stem; none for words that every page has. */
    processTerm: (term) => {
      const word = term.toLowerCase();
      if (
        /^(an?|and|any|are|as|at|be|by|can|did|do|does|for|from|has|have|how|i|if|in|is|it|its|me|my|no|not|of|on|or|our|should|show|so|that|the|then|there|this|to|use|using|want|was|we|what|when|where|which|who|why|will|with|would|you|your)$/.test(
          word,
        )
      )
        return null;
      if (word.length < 4 || /\d/.test(word)) return word;
      return (
        word
          // British and American spellings
          .replace(/(col|behavi|fav)our/, '$1or')
          .replace(/(author|organ|custom|optim|normal|serial|initial|synchron|local)is(?=e|ing|ation)/, '$1iz')
          .replace(/^licence/, 'license')
          .replace(/cancell(ed|ing|ation)/, 'cancel')
          // Plurals
          .replace(/ies$/, 'y')
          .replace(/(ss|x|ch|sh)es$/, '$1')
          .replace(/([^sui])s$/, '$1')
          // Words whose forms have no common stem
          .replace(/^subscri(be|bing|ber|bed|ption)$/, 'subscrib')
          .replace(/^unsubscri\w+$/, 'unsubscrib')
          .replace(/^notif(ication|y|ied|ying)$/, 'notif')
          .replace(/^(config|encrypt|decrypt)\w*$/, '$1')
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
    weights: { fuzzy: 0.2, prefix: 0.16 },
    boost: { title: 3, text: 2, titles: 1 },
    bm25: { k: 1.8, b: 0.7, d: 0.2 },
    /** Codes say most, and words that are in every other section least. */
    boostTerm: (term) =>
      /\d/.test(term)
        ? 1.5
        : /^(all|api|app|applic|channel|client|cod|connect|data|error|event|exampl|get|list|many|messag|new|notif|one|pag|process|push|request|send|sent|server|servic|set|troubleshoot|user|work)$/.test(
              term,
            )
          ? 0.65
          : 1,
    /** Answers to symptoms and tasks come first; specifications, figures and the project's own pages last. */
    boostDocument: (id) => {
      const boosts = [
        [/^\/(troubleshooting|recipes)\b/, 1.4],
        [/^\/(command-line|sdks)\b/, 0.9],
        [/^\/comparison\b/, 0.8],
        [/^\/performance\b/, 0.5],
        [/^\/options\b/, 0.4],
        [/^\/(protocol|project|adr)\b/, 0.3],
      ];
      return boosts.find(([pages]) => pages.test(id))?.[1] ?? 1;
    },
  },
};
