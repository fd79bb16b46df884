// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export * from './cluster/ports.js';
export { Membership } from './cluster/nodes/membership.js';
export { SharedStateSweeps } from './cluster/shared/shared-state-sweeps.js';
export { SharedDatabase } from './cluster/shared/shared-database.js';
export { unavailable } from './database/database-unavailable.js';
export * from './database/dialect.js';
export { FileClaim, fileOf } from './database/file-claim.js';
export { hasWalResetBug, type SqliteJournal, sqliteJournal } from './database/journal.js';
export { backUp } from './database/sqlite-copy.js';
export * from './database/statement.js';
export { pendingMigrations } from './migrations/migrate.js';
export { dataSourceOptions, openDatabase } from './open.js';
export { restore } from './restore/restore.js';
