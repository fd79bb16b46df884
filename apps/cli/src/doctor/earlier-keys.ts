import { counted } from 'rookery/internal/http';
import { type Instance, vapidKeyName, vapidPairs } from 'rookery/internal/push-device';
import type { Database } from 'rookery/typeorm';
import { about, type Findings } from './finding.js';

interface Browsers {
  readonly vapid_key: string | null;
  readonly count: number | string;
}

/** Counts the browsers that depend on each VAPID pair that an instance only keeps for them. */
export async function* earlierKeyFindings(database: Database, instances: readonly Instance[]): Findings {
  for (const { id, web } of instances) {
    if (!web?.previous || web.previous.length === 0) continue;
    const say = about(`web ${id}`);
    const rows = await database.read<Browsers>(
      `SELECT vapid_key, COUNT(*) AS count FROM rookery_devices
       WHERE instance_id = ? AND platform = 'web' GROUP BY vapid_key`,
      [id.toLowerCase()],
    );
    const oldest = [...vapidPairs(web).keys()].at(-1);
    for (const { vapidPublicKey } of web.previous) {
      const name = vapidKeyName(vapidPublicKey);
      const own = rows.filter(({ vapid_key }) => (vapid_key ?? oldest) === name);
      const count = own.reduce((sum, row) => sum + Number(row.count), 0);
      const said = `the earlier VAPID key ${name}… is that of`;
      if (count === 0) yield say.ok(`${said} no browser: remove its pair`);
      else yield say.note(`${said} ${counted(count, 'browser')}: keep its pair`);
    }
  }
}
