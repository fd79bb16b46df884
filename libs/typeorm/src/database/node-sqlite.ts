import { createRequire } from 'node:module';

/** The part of `node:sqlite` that Rookery uses; @types/node for Node 20 lacks it. */
interface NodeSqliteModule {
  readonly DatabaseSync: new (path: string, options: object) => DatabaseSync;
  readonly StatementSync: { readonly prototype: object };
}

interface DatabaseSync {
  readonly isTransaction: boolean;
  exec(text: string): void;
  prepare(text: string): StatementSync;
  close(): void;
}

interface StatementSync {
  columns(): readonly unknown[];
  all(...values: readonly unknown[]): readonly object[];
  run(...values: readonly unknown[]): unknown;
}

/** The options of better-sqlite3 that TypeORM passes on. */
interface OpenOptions {
  readonly readonly?: boolean;
  readonly timeout?: number;
}

/** Node's own SQLite, if its statements can list their columns. */
function ofNode(): NodeSqliteModule | undefined {
  const found = process.getBuiltinModule?.('node:sqlite') as NodeSqliteModule | undefined;
  return found && 'columns' in found.StatementSync.prototype ? found : undefined;
}

/** The package to install where Node has no SQLite: the same API, with its binaries included. */
export const standIn = '@photostructure/sqlite@1';

/** Returns undefined if it is not installed or has no binary for the platform. */
function ofPackage(): NodeSqliteModule | undefined {
  try {
    return createRequire(__filename)('@photostructure/sqlite') as NodeSqliteModule;
  } catch {
    return undefined;
  }
}

/** `node:sqlite` or its replacement, with the few methods of better-sqlite3 that TypeORM and Rookery call. */
const driverOf = ({ DatabaseSync }: NodeSqliteModule) =>
  class NodeSqlite {
    private readonly database: DatabaseSync;

    constructor(path: string, { readonly: readOnly = false, timeout = 5000 }: OpenOptions = {}) {
      this.database = new DatabaseSync(path, { readOnly, timeout });
    }

    get inTransaction(): boolean {
      return this.database.isTransaction;
    }

    exec(text: string): void {
      this.database.exec(text);
    }

    prepare(text: string) {
      const statement = this.database.prepare(text);
      return {
        reader: statement.columns().length > 0,
        // Node's rows have no prototype, but callers may use `hasOwnProperty`.
        all: (...values: readonly unknown[]) => statement.all(...values).map((row) => ({ ...row })),
        run: (...values: readonly unknown[]) => statement.run(...values),
      };
    }

    pragma(text: string): readonly object[] {
      return this.prepare(`PRAGMA ${text}`).all();
    }

    /**
     * Leaves one file. The package keeps its statements open until they are collected, and SQLite then leaves the log
     * beside the file, with most of the database in it.
     */
    close(): void {
      try {
        this.pragma('journal_mode = DELETE');
      } catch {
        // Other processes have it open, or it takes no writes: the log belongs to them.
      }
      this.database.close();
    }
  };

const found = ofNode() ?? ofPackage();

/**
 * The value for TypeORM's option `driver` in a data source of the type `better-sqlite3`: Node's own SQLite from Node
 * 22.16, and the package @photostructure/sqlite before. If there is neither, it is `undefined`, and TypeORM loads
 * better-sqlite3.
 */
export const sqliteDriver: unknown = found && driverOf(found);
