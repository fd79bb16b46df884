import { Injectable } from '@nestjs/common';
import { type Announcement, type AnnouncementChange, AnnouncementRepository } from 'rookery/channels';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** Rows per INSERT: few enough parameters for both databases. */
const rowsPerBatch = 100;

/** In a database, for processes that keep shared state in memory. */
@Injectable()
export class TypeOrmAnnouncementRepository extends AnnouncementRepository {
  private readonly letGo: () => Promise<void>;

  constructor(private readonly database: Database) {
    super();
    this.letGo = database.keepOpen();
  }

  async save(changes: readonly AnnouncementChange[]): Promise<void> {
    await this.database.write(() => this.saving(changes));
  }

  async all(): Promise<readonly Announcement[]> {
    const rows = await this.database.read<{ readonly announcement: string }>(
      'SELECT announcement FROM rookery_announcements',
    );
    // `saving` has written it.
    return rows.map(({ announcement }) => JSON.parse(announcement) as Announcement);
  }

  override async close(): Promise<void> {
    await this.letGo();
  }

  /** In the order of the names, so that processes that save the same do not deadlock. */
  private *saving(changes: readonly AnnouncementChange[]): Work<void> {
    const { each, list } = this.database.dialect;
    const sorted = changes.map((change) => ({ name: nameOf(change), change })).toSorted(byName);
    const gone = sorted.filter(({ change }) => !change.isThere).map(({ name }) => name);
    const there = sorted.filter(({ change }) => change.isThere);
    for (let start = 0; start < there.length; start += rowsPerBatch) {
      const rows = there.slice(start, start + rowsPerBatch);
      yield* run(
        `INSERT INTO rookery_announcements (name, announcement) VALUES ${rows.map(() => '(?, ?)').join(', ')}
         ON CONFLICT (name) DO UPDATE SET announcement = excluded.announcement`,
        rows.flatMap(({ name, change }) => [name, JSON.stringify({ ...change, isThere: undefined })]),
      );
    }
    if (gone.length > 0)
      yield* run(`DELETE FROM rookery_announcements WHERE name IN (SELECT value FROM ${each})`, [list(gone)]);
  }
}

const nameOf = ({ appId, channel, userId }: Announcement): string => JSON.stringify([appId, channel, userId]);

interface Named {
  readonly name: string;
}

const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : 1);
