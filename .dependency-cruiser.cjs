/** Imports only go down the picture in ARCHITECTURE.md: never up, never across the two columns. */
const libs = {
  jobs: [],
  common: ['events', 'jobs'],
  presence: ['common'],
  channels: ['common', 'jobs', 'presence', 'events'],
  'push-device': ['common'],
  publish: ['common', 'jobs', 'push-device'],
  events: [],
  client: ['events'],
  server: [],
  authorization: ['common', 'presence', 'channels', 'push-device'],
  notifications: ['common', 'jobs', 'channels', 'push-device', 'publish'],
  console: ['common', 'events', 'presence', 'channels', 'push-device', 'publish'],
  testing: ['common', 'jobs', 'presence', 'channels', 'push-device', 'publish', 'notifications'],
  redis: ['common', 'jobs', 'presence', 'channels'],
  typeorm: ['common', 'jobs', 'channels', 'push-device', 'publish', 'notifications'],
};

const below = (lib) => [lib, ...libs[lib]].join('|');

/** The floors of libs/channels/src, the lowest first: a folder may import only itself and folders on lower floors. */
const channelsFloors = [
  ['protocol'],
  ['access', 'lifecycle'],
  ['broker', 'storage', 'webhooks', 'connections'],
  ['hub', 'twin'],
  ['events', 'users'],
  ['subscriptions'],
  ['http', 'sockets', 'nodes'],
];
const aboveOrBeside = (folder) =>
  channelsFloors
    .slice(channelsFloors.findIndex((floor) => floor.includes(folder)))
    .flat()
    .filter((each) => each !== folder);

module.exports = {
  forbidden: [
    ...Object.keys(libs).map((lib) => ({
      name: `${lib}-imports-only-what-is-below-it`,
      severity: 'error',
      from: { path: `^libs/${lib}/` },
      to: { path: `^(libs/(?!(${below(lib)})/)|apps/)` },
    })),
    ...channelsFloors.flat().map((folder) => ({
      name: `channels-${folder}-imports-only-what-is-below-it`,
      severity: 'error',
      from: { path: `^libs/channels/src/${folder}/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: `^libs/channels/src/((${aboveOrBeside(folder).join('|')})/|index\\.ts|channels\\.(module|providers)\\.ts)`,
      },
    })),
    {
      name: 'from-another-lib-only-through-its-index',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/', pathNot: ['^libs/[^/]+/src/index\\.m?ts$', '^libs/$2/'] },
    },
    {
      name: 'protocol-is-pure',
      comment: 'libs/channels/src/protocol takes values and returns values: no Nest, no I/O.',
      severity: 'error',
      from: { path: '^libs/channels/src/protocol/', pathNot: '\\.spec\\.ts$' },
      to: { path: '@nestjs|^(node:)?(net|http|fs|ws)$|^libs/channels/src/(?!protocol/)' },
    },
    ...['client', 'server'].map((lib) => ({
      name: `${lib}-has-no-dependencies`,
      comment: 'It runs where there is no Node, and is small.',
      severity: 'error',
      from: { path: `^libs/${lib}/`, pathNot: '\\.spec\\.ts$' },
      to: { pathNot: `^libs/${lib}/`, dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'console-is-a-page',
      comment: 'It runs in browsers and knows of the server what its API answers.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(libs/|apps/(?!console/))' },
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
    enhancedResolveOptions: { conditionNames: ['rookery-source', 'import', 'types'], exportsFields: ['exports'] },
  },
};
