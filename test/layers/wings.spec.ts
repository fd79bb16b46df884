import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// A wing is one folder: channels and publish name it elsewhere only where users meet it, in options and the like.

const root = resolve(import.meta.dirname, '../..');
const inChannels = (...files: readonly string[]) => files.map((file) => `channels/src/${file}`);
const inPublish = (...files: readonly string[]) => files.map((file) => `publish/src/${file}`);

/** The words of each wing, and the files elsewhere that may have them besides the lists of wings and the indexes. */
const wings = [
  {
    name: 'receipts',
    words: /receipt/i,
    elsewhere: inChannels('channels.options.ts', 'events/trigger-event.ts'),
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
    words:
      /OnRequest\b|ClientRequests|Request(Methods|Budgets|Records|Settings|Messages|Endpoints?)\b|rookery:(request|reply)/,
    elsewhere: inChannels('app/app.ts', 'channels.options.ts'),
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
    elsewhere: inPublish('delivery/apns/apns.gateway.ts', 'delivery/apns/push-type.ts', 'wings/advice.ts'),
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
