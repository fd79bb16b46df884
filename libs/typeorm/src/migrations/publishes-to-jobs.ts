import type { Rows } from './rows.js';

/** Unfinished publishes and ranges keep their order and leases. */
export async function publishesToJobs(rows: Rows): Promise<void> {
  const columns = 'queue, id, owner, key, due_at, free_at, claim_id, position, data, state';
  await rows.run(
    `INSERT INTO rookery_jobs (${columns})
     SELECT 'publishes', p.id, p.instance_id, p.id, p.due_at, p.due_at, p.owner, p.created_at * 1000, '""',
       CASE WHEN EXISTS (SELECT 1 FROM rookery_publish_lanes l WHERE l.publish_id = p.id) THEN '"begun"' ELSE '""' END
     FROM rookery_publishes p WHERE p.finished_at IS NULL AND p.due_at IS NOT NULL`,
  );
  await rows.run(
    `INSERT INTO rookery_jobs (${columns})
     SELECT 'publishes', r.publish_id || '/' || r.lane, p.instance_id, p.id, r.due_at, r.due_at, r.owner,
       p.created_at * 1000, '"' || r.lane || '"', '"begun"'
     FROM rookery_publish_ranges r JOIN rookery_publishes p ON p.id = r.publish_id`,
  );
  await rows.run('DROP TABLE rookery_publish_ranges');
  await rows.run('DROP INDEX rookery_publishes_by_due');
  for (const column of ['due_at', 'owner', 'wanted_at'])
    await rows.run(`ALTER TABLE rookery_publishes DROP COLUMN ${column}`);
}
