import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// A wing is one folder: the rest of its lib names it only where users meet it, in options, names of webhooks and the like.

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'libs/channels/src');
const list = join(source, 'wings/wings.ts');
const index = join(source, 'index.ts');

/** The words of each wing, and the files elsewhere that may have them besides the list of wings and the index. */
const wings = [
  {
    name: 'receipts',
    words: /receipt/i,
    elsewhere: [
      'app/channels-limits.ts',
      'channels.options.ts',
      'events/kept-bytes.ts',
      'events/trigger-event.ts',
      'lifecycle/decorators.ts',
      'lifecycle/lifecycle-events.ts',
      'webhooks/channel-events.ts',
    ],
  },
  {
    name: 'state',
    words: /ChannelStates|@ChannelState|channelState\b|StatePart|StateMethods|rookery:state/,
    elsewhere: ['channels.options.ts', 'protocol/frames.ts'],
  },
  {
    name: 'streams',
    words: /EventStream|StreamsService|LiveStreams|ChannelStreams|SilentStreams|StreamsPart|StreamRequests/,
    elsewhere: ['channels.options.ts'],
  },
  { name: 'mirror', words: /mirror/i, elsewhere: ['access/administered-app.ts', 'app/app.ts', 'app/mirror.ts'] },
  {
    name: 'live-activities',
    of: 'publish',
    words: /live.?activit/i,
    // Apple's gateway: an adapter, with a folder of its own for them. Besides, `liveactivity` is a push type of Apple.
    elsewhere: [
      'delivery/apns/apns-message.ts',
      'delivery/apns/apns.gateway.ts',
      'delivery/apns/push-type.ts',
      'internal.ts',
      'payloads.ts',
    ],
  },
];

type Wing = (typeof wings)[number];
const sourceOf = ({ of = 'channels' }: Wing): string => join(root, `libs/${of}/src`);
const textOf = (wing: Wing, file: string): string => readFileSync(join(sourceOf(wing), file), 'utf8');

const naming = (wing: Wing, read = (file: string) => textOf(wing, file)): readonly string[] =>
  readdirSync(sourceOf(wing), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes(`/${wing.name}/`))
    .filter((file) => file !== 'wings/wings.ts' && file !== 'index.ts' && wing.words.test(read(file)))
    .toSorted();

describe('a wing', () => {
  it.each(wings)('is named nowhere but in its folder and where users meet it: $name', (wing) => {
    expect(naming(wing)).toEqual(wing.elsewhere);
  });

  it.each([
    ['receipts', 'events/event-sender.ts', "import { receiptIn } from '../wings/receipts/receipt-text.js';\n"],
    ['state', 'events/event-sender.ts', 'constructor(private readonly states: ChannelStates) {}\n'],
    ['streams', 'events/event-sender.ts', "import { LiveStreams } from '../wings/streams/live-streams.js';\n"],
    ['mirror', 'events/event-sender.ts', 'if (app.mirror) await this.mirrors.forward(app, events);\n'],
    ['live-activities', 'fan-out/deliveries.ts', 'if (liveActivityMode(publish)) throw combinedBroadcast();\n'],
  ])('is found where it is named: %s', (name, into, planted) => {
    const wing = wings.find((each) => each.name === name)!;
    const read = (file: string): string => textOf(wing, file) + (file === into ? planted : '');
    expect(naming(wing, read)).toEqual([...wing.elsewhere, into].toSorted());
  });
});

/** The list of wings, or the index, without the lines of a wing. */
function withoutLines(text: string, name: string): string {
  const statement = new RegExp(`^(import|export) [^;]*'\\./(wings/)?${name}/[^']*';\\n`, 'gm');
  return text.replace(statement, '').replace(new RegExp(`^  ${name},\\n`, 'm'), '');
}

/** What the compiler finds in channels without the folder of a wing, and without its lines in the list and the index. */
function faultsWithout(name: string): { faults: readonly string[]; program: ts.Program } {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [index] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const isGone = (path: string): boolean => resolve(path).startsWith(join(source, 'wings', name) + '/');
  host.fileExists = (path) => !isGone(path) && fileExists(path);
  host.readFile = (path) => (isGone(path) ? undefined : readFile(path));
  host.getSourceFile = (path, ...rest) => {
    if (isGone(path)) return undefined;
    const edited = [list, index].includes(resolve(path)) && withoutLines(readFile(path) ?? '', name);
    if (edited) return ts.createSourceFile(path, edited, options.target ?? ts.ScriptTarget.ES2023);
    return getSourceFile(path, ...rest);
  };
  const program = ts.createProgram({ rootNames: [index], options, host });
  const faults = program
    .getSourceFiles()
    .filter((file) => resolve(file.fileName).startsWith(source))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(({ file, messageText }) => {
      const where = file ? relative(source, file.fileName) : '';
      return `${where}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  return { faults, program };
}

describe('channels without a wing', () => {
  it.each(['receipts', 'state', 'mirror'])('compile: %s', { timeout: 240_000 }, (name) => {
    const { faults, program } = faultsWithout(name);
    expect(program.getSourceFile(join(source, 'channels.module.ts'))).toBeDefined();
    expect(program.getSourceFiles().some(({ fileName }) => fileName.includes(`wings/${name}/`))).toBe(false);
    expect(faults).toEqual([]);
  });

  it('do not compile if another file needs it', { timeout: 240_000 }, () => {
    // Subscriptions are those of the core.
    expect(faultsWithout('presence').faults).not.toEqual([]);
  });
});
