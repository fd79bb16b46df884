import type { KeptSize } from 'rookery/channels';
import type { Database } from '../database/database.js';
import { joinSharedText } from './shared-texts.js';

/** How many channels are read together, by name: their texts are measured. */
const rowsPerPage = 1000;

interface LastEventRow {
  readonly name: string;
  readonly bytes: number | string;
  readonly shared_bytes: number | string;
  readonly ends_at: number | string;
}

interface HistoryRow {
  readonly name: string;
  readonly bytes: number | string;
  readonly events: number | string;
  readonly most_events: number | string;
  readonly most_microseconds: number | string;
  readonly most_bytes: number | string;
}

/** What the channels keep that are in the database, in pages. */
export async function* keptSizes(database: Database): AsyncIterable<readonly KeptSize[]> {
  const now = Date.now();
  for await (const rows of pages<LastEventRow>(database, lastEvents(database)))
    yield rows.map(({ name, bytes, shared_bytes, ends_at }) => ({
      ...topicOf(name),
      bytes: Number(bytes) + Number(shared_bytes),
      cacheSeconds: Math.max(0, (Number(ends_at) - now) / 1000),
    }));
  for await (const rows of pages<HistoryRow>(database, histories))
    yield rows.map(({ name, bytes, events, most_events, most_microseconds, most_bytes }) => ({
      ...topicOf(name),
      bytes: Number(bytes),
      events: Number(events),
      history: {
        events: Number(most_events),
        seconds: Number(most_microseconds) / 1_000_000,
        bytes: Number(most_bytes),
      },
    }));
}

/** Of a text of several channels, each counts an equal part. */
const lastEvents = ({ dialect }: Database): string =>
  `SELECT e.name, ${dialect.bytesOf('e.text')} AS bytes, e.ends_at,
     COALESCE(${dialect.bytesOf('s.text')} / (s.last_position - s.first_position + 1), 0) AS shared_bytes
   FROM rookery_remembered_events e ${joinSharedText} WHERE e.name > ? ORDER BY e.name LIMIT ${rowsPerPage}`;

/** The first event of a history knows how much came before it. */
const histories = `SELECT h.name, h.bytes - e.bytes_before AS bytes, h.count - e.events_before AS events,
    h.most_events, h.most_microseconds, h.most_bytes
  FROM rookery_histories h JOIN rookery_kept_events e ON e.history_id = h.id
    AND e.position = (SELECT MIN(position) FROM rookery_kept_events WHERE history_id = h.id)
  WHERE h.name > ? ORDER BY h.name LIMIT ${rowsPerPage}`;

async function* pages<Row extends { readonly name: string }>(
  database: Database,
  query: string,
): AsyncIterable<readonly Row[]> {
  for (let after = ''; ;) {
    const rows = await database.read<Row>(query, [after]);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!.name;
  }
}

/** The name is `<length> <app> <channel>`; see TypeOrmBroker. */
function topicOf(name: string): { readonly appId: string; readonly channel: string } {
  const space = name.indexOf(' ');
  const channelAt = space + 1 + Number(name.slice(0, space)) + 1;
  return { appId: name.slice(space + 1, channelAt - 1), channel: name.slice(channelAt) };
}
