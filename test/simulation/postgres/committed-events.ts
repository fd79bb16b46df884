import type { BrokerMessage } from 'rookery/channels';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import { clientEventIn } from '../client-events.js';
import { isPassing } from '../cluster-options.js';
import { eventIdIn, type Record } from '../record.js';
import type { PostgresServer } from './server.js';

/** Writes down the events that PostgreSQL commits, and those that a process which is alone delivers without it. */
export class CommittedEvents {
  private carried = '0';
  private kept = '0';

  constructor(
    private readonly world: World,
    private readonly record: Record,
  ) {}

  committed(server: PostgresServer): void {
    const carried = server.rows(
      `SELECT position, channel, text FROM rookery_messages WHERE position > ${this.carried} ORDER BY position`,
    );
    for (const [position, channel, text] of carried) {
      this.carried = position!;
      this.accept(channel!, text!);
    }
    const kept = server.rows(
      `SELECT e.position, h.name, e.text FROM rookery_kept_events e JOIN rookery_histories h ON h.id = e.history_id
       WHERE e.position > ${this.kept} ORDER BY e.position`,
    );
    for (const [position, name, text] of kept) {
      this.kept = position!;
      this.accept(name!.split(' ')[2]!, text!);
    }
  }

  /** The server is about to lose what it carries, of which a node has read a part. */
  lost(server: PostgresServer, node: string, readUntil: number): void {
    const carried = server.rows(`SELECT text FROM rookery_messages WHERE position > ${readUntil}`);
    this.record.miss(
      node,
      carried.flatMap(([text]) => eventIdIn(text!) ?? []),
    );
  }

  /** @param cutOff the nodes that miss it */
  delivered(message: BrokerMessage, cutOff: readonly string[]): void {
    if (message.kind !== 'event') return;
    this.accept(message.channel, message.text);
    for (const node of cutOff) this.record.miss(node, [eventIdIn(message.text) ?? '']);
  }

  private accept(channel: string, text: string): void {
    const id = eventIdIn(text);
    if (id === undefined) return;
    const isPassed = clientEventIn(id) !== undefined && isPassing(channel);
    const record = isPassed ? this.record.passingOf(channel) : this.record.of(channel);
    if (record.indexOf(id) >= 0) return;
    const broken = this.record.accept(channel, id, this.world.now);
    if (broken !== undefined) this.world.fail(broken);
  }
}
