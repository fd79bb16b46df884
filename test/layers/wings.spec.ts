import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// A wing is one folder: channels and publish name it elsewhere only where users meet it, in options and the like.

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'libs/channels/src');
const inChannels = (...files: readonly string[]) => files.map((file) => `channels/src/${file}`);
const inPublish = (...files: readonly string[]) => files.map((file) => `publish/src/${file}`);

/** The words of each wing, and the files elsewhere that may have them besides the lists of wings and the indexes. */
const wings = [
  {
    name: 'receipts',
    words: /receipt/i,
    elsewhere: inChannels('app/channels-limits.ts', 'channels.options.ts', 'events/trigger-event.ts'),
    planted: "import { receiptIn } from '../wings/receipts/receipt-text.js';\n",
  },
  {
    name: 'state',
    words: /ChannelStates|@ChannelState|channelState\b|StatePart|StateMethods|StateSettings|rookery:state/,
    elsewhere: inChannels('channels.options.ts', 'protocol/frames.ts'),
    planted: 'constructor(private readonly states: ChannelStates) {}\n',
  },
  {
    name: 'requests',
    words: /OnRequest\b|ClientRequests|Request(Methods|Budgets|Metrics|Settings|Messages)\b|rookery:(request|reply)/,
    elsewhere: inChannels('channels.options.ts'),
    planted: 'constructor(private readonly requests: ClientRequests) {}\n',
  },
  {
    name: 'streams',
    words: /EventStream|StreamsService|LiveStreams|ChannelStreams|SilentStreams|StreamsPart|StreamRequests/,
    elsewhere: [],
    planted: "import { LiveStreams } from '../wings/streams/live-streams.js';\n",
  },
  {
    name: 'mirror',
    words: /mirror/i,
    elsewhere: inChannels('app/app.ts'),
    planted: 'if (app.mirror) await this.mirrors.forward(app, events);\n',
  },
  {
    // Its port and its part of a connection stand below the hub, which a returning client enters.
    name: 'sessions',
    words:
      /SessionRepository|\bSession\b|SavedSession|SessionPings|sessionPings|\bReplay\b|SessionsService|SessionsPart/,
    elsewhere: inChannels(
      'access/saved-session.ts',
      'channels.module.ts',
      'channels.providers.ts',
      'connections/session.ts',
      'sockets/channels.gateway.ts',
      'sockets/connections.service.ts',
      'storage/memory-session.repository.ts',
      'storage/session.repository.ts',
    ),
    planted: 'constructor(private readonly sessions: SessionRepository) {}\n',
  },
  {
    name: 'members',
    words: /MembersService|memberUpdated|updateMember/,
    elsewhere: inChannels(
      'channels.providers.ts',
      'http/members.controller.ts',
      'protocol/frames.ts',
      'wings/channel-notifier.ts',
      'wings/presence/presence-membership.ts',
    ),
    planted: 'constructor(private readonly members: MembersService) {}\n',
  },
  {
    name: 'occupancy',
    words: /LocalOccupancy|OccupancyPart|SubscriptionCounts/,
    elsewhere: inChannels('channels.providers.ts', 'nodes/nodes.service.ts', 'wings/missed/missed-changes.ts'),
    planted: 'constructor(private readonly occupancy: LocalOccupancy) {}\n',
  },
  {
    name: 'presence',
    words: /PresencePart|PresenceMembership|RosterText|ShownChanges/,
    elsewhere: inChannels('channels.providers.ts', 'wings/members/members.service.ts'),
    planted: 'constructor(private readonly presence: PresenceMembership) {}\n',
  },
  { name: 'cache', words: /CachePart/, elsewhere: [], planted: 'constructor(private readonly cache: CachePart) {}\n' },
  {
    name: 'live-activities',
    words: /live.?activit/i,
    // Apple's gateway is an adapter, with a folder of its own for them; `liveactivity` is also a push type of Apple.
    elsewhere: inPublish(
      'delivery/apns/apns-message.ts',
      'delivery/apns/apns.gateway.ts',
      'delivery/apns/push-type.ts',
      'internal.ts',
      'payloads.ts',
      'wings/advice.ts',
    ),
    planted: 'if (liveActivityMode(publish)) throw combinedBroadcast();\n',
  },
];

type Wing = (typeof wings)[number];
const textOf = (file: string): string => readFileSync(join(root, 'libs', file), 'utf8');
const files = ['channels/src', 'publish/src'].flatMap((folder) =>
  readdirSync(join(root, 'libs', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .filter((file) => file !== 'wings/wings.ts' && file !== 'index.ts')
    .map((file) => `${folder}/${file}`),
);

const naming = ({ name, words }: Wing, read = textOf): readonly string[] =>
  files.filter((file) => !file.includes(`/${name}/`) && words.test(read(file))).toSorted();

describe('a wing', () => {
  it.each(wings)('is named nowhere but in its folder and where users meet it: $name', (wing) => {
    expect(naming(wing)).toEqual(wing.elsewhere);
  });

  it.each(wings)('is found where it is named: $name', (wing) => {
    for (const into of ['channels/src/events/event-sender.ts', 'publish/src/fan-out/deliveries.ts']) {
      const read = (file: string): string => textOf(file) + (file === into ? wing.planted : '');
      expect(naming(wing, read)).toEqual([...wing.elsewhere, into].toSorted());
    }
  });
});

/** Where a wing is listed: with its value, with its settings, and by the names that hosts import. */
const index = join(source, 'index.ts');
const lists = [index, ...['wings/wings.ts', 'channels.options.ts', 'app/app.ts'].map((file) => join(source, file))];

/** A list without the lines of a wing: what it imports of its folder, its value, and the settings of that type. */
function withoutLines(text: string, name: string): string {
  const statement = new RegExp(`^(?:import|export) ([^;]*) from '[./]*/(?:wings/)?${name}/[^']*';\\n`, 'gm');
  const types = [...text.matchAll(statement)].flatMap(([, names]) => names?.match(/\w+/g) ?? []).join('|');
  const setting = new RegExp(
    `  /\\*\\*.*\\*/\\n(  @OrNull\\(\\)\\n)?  @Nested\\(\\(\\) => (${types})\\)\\n.*;\\n`,
    'g',
  );
  const rest = text.replace(statement, '').replace(new RegExp(`^  ${name},\\n`, 'm'), '');
  return types ? rest.replace(setting, '') : rest;
}

/** The libs, the apps, and the support of the tests; not the stories, which are those of wings too. */
const house = ['libs', 'apps/cli', 'apps/conformance', 'apps/server', 'test/support'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$/.test(file) && !/\.spec\.ts$|(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => join(root, folder, file)),
);

/** What no wing changes is read once. */
const unchanged = new Map<string, ts.SourceFile | undefined>();

/** The exports of a wing, the fields of its settings and its folder: only files that name one can miss it. */
function namesOf(name: string): RegExp {
  const folder = join(source, 'wings', name);
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.endsWith('.ts') ? readFileSync(join(folder, file), 'utf8') : '',
  );
  const exported = texts.flatMap((text) => [...text.matchAll(/^export (?:abstract |async )*\w+\*? (\w+)/gm)]);
  const fields = lists.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    const left = new Set(withoutLines(text, name).match(/\w+(?=\??:)/g));
    return text.match(/\w+(?=\??:)/g)?.filter((field) => !left.has(field)) ?? [];
  });
  const names = [...exported.map(([, each]) => each), ...fields].join('|');
  return new RegExp(`\\b(${names})\\b|/${name}/`);
}

/** The files of the house that do not compile without the folder of a wing and its lines in the lists. */
function faultyWithout(name: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [index] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const isGone = (path: string): boolean => resolve(path).startsWith(join(source, 'wings', name) + '/');
  host.fileExists = (path) => !isGone(path) && fileExists(path);
  host.readFile = (path) => (isGone(path) ? undefined : readFile(path));
  host.getSourceFile = (path, ...rest) => {
    if (isGone(path)) return undefined;
    const edited = lists.includes(resolve(path)) && withoutLines(readFile(path) ?? '', name);
    if (edited) return ts.createSourceFile(path, edited, options.target ?? ts.ScriptTarget.ES2023);
    if (!unchanged.has(path)) unchanged.set(path, getSourceFile(path, ...rest));
    return unchanged.get(path);
  };
  const rootNames = house.filter((file) => !isGone(file));
  const program = ts.createProgram({ rootNames, options, host });
  expect(program.getSourceFiles().filter(({ fileName }) => isGone(fileName))).toEqual([]);
  const names = namesOf(name);
  const isFaulty = (path: string): boolean => {
    const file = program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not compiled`);
    if (!names.test(file.text) && !lists.includes(path)) return false;
    return program.getSyntacticDiagnostics(file).length + program.getSemanticDiagnostics(file).length > 0;
  };
  return rootNames.filter(isFaulty).map((path) => relative(root, path));
}

describe('the house without a wing', () => {
  it.each(['state', 'mirror', 'requests'])('compiles: %s', { timeout: 240_000 }, (name) => {
    expect(faultyWithout(name)).toEqual([]);
  });

  it('compiles but for the adapters of its port: receipts', { timeout: 240_000 }, () => {
    expect(faultyWithout('receipts').toSorted()).toEqual([
      'apps/server/src/workers/link-services.ts',
      'apps/server/src/workers/remote-ports.ts',
      'apps/server/src/workers/shared-ports.ts',
      'libs/redis/src/receipts/redis-receipt.repository.ts',
      'libs/redis/src/redis.module.ts',
      'libs/testing/src/contracts/receipt-repository.contract.ts',
      'libs/testing/src/simulation/shared-state.ts',
      'libs/typeorm/src/cluster/postgres-cluster.module.ts',
      'libs/typeorm/src/cluster/receipts/postgres-receipt.repository.ts',
    ]);
  });

  it('does not compile if the core needs it', { timeout: 240_000 }, () => {
    expect(faultyWithout('occupancy')).toContain('libs/channels/src/nodes/nodes.service.ts');
  });
});
