import { hasSaved, MemorySessionRepository, type SavedSession } from 'rookery/channels';
import { copyOf } from '../../libs/testing/src/simulation/copy-of.js';
import type { World } from '../../libs/testing/src/simulation/world.js';
import { app, channels } from './cluster-options.js';
import { LatestInfos } from './latest-infos.js';
import { subjectOf } from './owed-webhooks.js';
import { type Record, RecordedBroker } from './record.js';
import { ReplicatedChannels } from './replicated-channels.js';
import { ReplicatedPresence } from './replicated-presence.js';

/** Sessions in a store that may have replaced one that knew more. */
class YoungSessions extends MemorySessionRepository {
  override open(...opened: Parameters<MemorySessionRepository['open']>): SavedSession {
    const saved = super.open(...opened);
    return saved && hasSaved(saved) ? saved : { socketIds: [], positions: [], ...saved, isLost: true };
  }
}

/** What the store contains: a replica has an earlier copy of it. */
export class StoreState {
  private constructor(
    private readonly world: World,
    private readonly record: Record,
    readonly broker: RecordedBroker,
    readonly sessions: MemorySessionRepository,
    readonly presence: ReplicatedPresence,
    readonly channels = new ReplicatedChannels(),
  ) {}

  static first(world: World, record: Record): StoreState {
    const presence = new ReplicatedPresence(new LatestInfos(world));
    return new StoreState(world, record, new RecordedBroker(world, record), new MemorySessionRepository(), presence);
  }

  /** That of a store which has lost its memory. */
  get forgotten(): StoreState {
    const { world, record } = this;
    const presence = new ReplicatedPresence(this.presence.latest.settled);
    return new StoreState(world, record, new RecordedBroker(world, record), new YoungSessions(), presence);
  }

  get copy(): StoreState {
    const { world, record, broker, sessions, channels, presence } = this;
    const copies = new Map<unknown, unknown>([
      [world, world],
      [record, record],
    ]);
    const each = <Part>(part: Part): Part => copyOf(part, copies);
    return new StoreState(world, record, each(broker), each(sessions), each(presence), each(channels));
  }

  /** The channels and their members that it has. */
  get subjects(): ReadonlySet<string> {
    const counts = this.channels.subscriptionCounts(app.id, channels);
    const membersOf = (name: string): string[] =>
      this.presence.roster({ scope: app.id, name }).members.map(({ userId }) => subjectOf(name, userId));
    return new Set(channels.flatMap((channel, i) => (counts[i]! > 0 ? [channel, ...membersOf(channel)] : [])));
  }

  /** Takes the place of another: versions and positions are greater than all that this one has lost. */
  outlive({ channels, presence }: StoreState): void {
    this.broker.goOn();
    this.channels.outlive(channels);
    this.presence.outlive(presence);
  }
}
