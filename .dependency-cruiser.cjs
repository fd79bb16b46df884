/** Imports only go down the picture in ARCHITECTURE.md: never up, never across the two columns. */
const libs = {
  jobs: [],
  common: [],
  http: ['common'],
  webhooks: ['common', 'http', 'jobs'],
  presence: ['common', 'http'],
  channels: ['common', 'http', 'webhooks', 'jobs', 'presence', 'sdk'],
  'push-device': ['common', 'http'],
  publish: ['common', 'http', 'webhooks', 'jobs', 'push-device'],
  sdk: [],
  schematics: [],
  authorization: ['common', 'http', 'presence', 'channels', 'push-device'],
  notifications: ['common', 'http', 'jobs', 'channels', 'push-device', 'publish'],
  console: ['common', 'http', 'webhooks', 'sdk', 'presence', 'channels', 'push-device', 'publish', 'notifications'],
  testing: [
    'common',
    'webhooks',
    'jobs',
    'presence',
    'channels',
    'push-device',
    'publish',
    'authorization',
    'notifications',
  ],
  redis: ['common', 'http', 'jobs', 'presence', 'channels'],
  typeorm: ['common', 'jobs', 'presence', 'channels', 'push-device', 'publish', 'notifications'],
};

/** Files of libs that the console's pages import too, so that what both sides know is written once. */
const sharedWithPages =
  '^libs/(console/src/(contract/\\w+|live-filter|push/seen-text)|channels/src/lifecycle/observed-kinds|common/src/glob)\\.ts$';

const below = (lib) => [lib, ...libs[lib]].join('|');

/**
 * The floors of each lib's `src`, the lowest first: a folder or file imports only itself and what stands on lower
 * floors. `*` stands for the files of `src` that no floor names; without it, they are above every floor, as an index,
 * internal.ts or a module always is.
 */
const floors = {
  common: [
    ['*'],
    ['ledger', 'proxy'],
    ['checks', 'console-store', 'rates', 'safe-fetch'],
    ['administration', 'modules'],
  ],
  http: [['*'], ['openapi', 'port']],
  webhooks: [['*'], ['listeners']],
  channels: [
    ['protocol'],
    ['*'],
    ['wings/\\w+/\\w+\\.options'],
    ['app'],
    ['channels.options'],
    ['access', 'lifecycle'],
    ['broker', 'storage', 'webhooks', 'connections'],
    ['frames'],
    ['hub'],
    ['events'],
    ['subscriptions'],
    ['users', 'wings'],
    ['http', 'sockets', 'nodes'],
    ['channels.providers', 'webhook-sender.provider'],
  ],
  'push-device': [
    ['*'],
    ['instances', 'memory'],
    ['user-token'],
    ['device-tokens', 'devices.service', 'user-token.guard'],
    ['http'],
  ],
  publish: [
    ['publish.errors', 'publish.options', 'lifecycle'],
    ['access', 'delivery'],
    ['payloads'],
    ['publish-body'],
    ['publish'],
    ['metrics'],
    ['outbox'],
    ['webhooks'],
    ['fan-out'],
    ['wings'],
    ['explanations', 'reports'],
    ['publish-status', 'retention'],
    ['publish.service'],
    ['http'],
  ],
  authorization: [['authorization.options'], ['*'], ['http']],
  notifications: [['quiet-hours'], ['store'], ['*'], ['http']],
  console: [
    ['contract'],
    ['live-filter'],
    ['console.errors', 'console.options'],
    ['page', 'push/push-services'],
    ['watch'],
    ['access', 'processes'],
    ['admin', 'channels', 'pages', 'push'],
    ['charts', 'live', 'notifications', 'users', 'webhooks', 'why'],
    ['nodes'],
    ['*'],
  ],
  testing: [
    ['until'],
    ['client', 'clock', 'contracts', 'gateways'],
    ['test-device', 'modules-among'],
    ['simulation'],
    ['*'],
  ],
  schematics: [
    ['project-error'],
    ['load-typescript', 'project-files'],
    ['module-file', 'options', 'written/manifest'],
    ['additions', 'project', 'questions'],
    ['written'],
    ['*'],
  ],
  sdk: [['events'], ['client', 'server'], ['ai', 'hooks'], ['react', 'vue']],
  redis: [
    ['keys', 'redis-url'],
    ['redis.options'],
    ['connection'],
    [
      '*',
      'broker',
      'channels',
      'console',
      'idempotency',
      'jobs',
      'limits',
      'nodes',
      'presence',
      'receipts',
      'sessions',
    ],
    ['ports'],
  ],
  typeorm: [
    ['database', 'remembered', 'supported', 'sweep'],
    ['settings', 'jobs'],
    ['apps', 'devices', 'events', 'health', 'instances', 'publishes', 'rates'],
    ['announcements', 'console', 'live-activities', 'notifications', 'sessions', 'triggers', 'import'],
    ['cluster'],
    ['entities'],
    ['migrations'],
    ['*'],
    ['restore'],
  ],
};

/** The files of these folders and files of a lib's `src`. */
const filesOf = (lib, entries) => {
  const named = floors[lib].flat().filter((entry) => entry !== '*');
  return entries
    .map((entry) =>
      entry === '*'
        ? `(?!(${named.join('|')}|index|internal|[^/]+\\.(module|d))\\.m?ts$)[^/]+$`
        : `${entry}(/|\\.m?ts$)`,
    )
    .join('|');
};

const floorRules = Object.entries(floors).flatMap(([lib, all]) =>
  all.flatMap((floor, height) =>
    floor.map((entry) => ({
      name: `${lib}-${entry}-imports-only-what-is-below-it`,
      severity: 'error',
      from: { path: `^libs/${lib}/src/(${filesOf(lib, [entry])})`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^libs/${lib}/src/(?!${filesOf(lib, [entry, ...all.slice(0, height).flat()])})` },
    })),
  ),
);

module.exports = {
  forbidden: [
    ...Object.keys(libs).map((lib) => ({
      name: `${lib}-imports-only-what-is-below-it`,
      severity: 'error',
      from: { path: `^libs/${lib}/` },
      to: { path: `^(libs/(?!(${below(lib)})/)|apps/)` },
    })),
    ...floorRules,
    {
      name: 'from-another-lib-only-through-its-index',
      comment: 'Or through internal.ts, which has besides what applications do not import.',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^libs/([^/]+)/src/',
        pathNot: [
          sharedWithPages,
          '^libs/([^/]+/src|sdk/src/[^/]+)/index\\.m?ts$',
          '^libs/[^/]+/src/internal\\.ts$',
          '^libs/$2/',
        ],
      },
    },
    {
      name: 'protocol-is-pure',
      comment: 'libs/channels/src/protocol takes values and returns values: no Nest, no I/O.',
      severity: 'error',
      from: { path: '^libs/channels/src/protocol/', pathNot: '\\.spec\\.ts$' },
      to: { path: '@nestjs|^(node:)?(net|http|fs|ws)$|^libs/channels/src/(?!protocol/)' },
    },
    {
      name: 'sdk-has-no-dependencies',
      comment: 'Its parts run where there is no Node, and are small. Hooks have the framework that they are for.',
      severity: 'error',
      from: { path: '^libs/sdk/src/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot: '^libs/sdk/src/($1/|client/index|hooks/index)|^node_modules/$1/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'conformance-judges-from-outside',
      comment: 'It would otherwise share the mistakes of the server.',
      severity: 'error',
      from: { path: '^apps/conformance/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(libs/|apps/(?!conformance/))' },
    },
    {
      name: 'console-is-a-page',
      comment: 'It runs in browsers and knows of the server what its API answers.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(libs/|apps/(?!console/))', pathNot: sharedWithPages },
    },
    {
      name: 'command-takes-words-of-pages',
      comment: 'A terminal says what a page says; what a page looks like stays there.',
      severity: 'error',
      from: { path: '^apps/cli/' },
      to: {
        path: '^apps/console/',
        pathNot: '^apps/console/src/(api/contract|parts/(amounts|time)|[^/]+/[^/]+-words)\\.ts$',
      },
    },
    {
      name: 'shared-with-pages-imports-nothing-else',
      comment: 'An index, or what needs Node, would come into the pages with it.',
      severity: 'error',
      from: { path: sharedWithPages },
      to: { pathNot: sharedWithPages },
    },
    {
      name: 'only-shared-files-and-pages-import-shared-files-of-another-lib',
      severity: 'error',
      from: { path: '^(apps/(?!console/)|libs/([^/]+)/)', pathNot: sharedWithPages },
      to: { path: sharedWithPages, pathNot: '^libs/$2/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|libs)/[^/]+/dist/' },
    enhancedResolveOptions: { conditionNames: ['rookery-source', 'import', 'types'], exportsFields: ['exports'] },
  },
};
