import type { Command } from 'commander';
import type { Database } from 'rookery/typeorm';
import { Fault } from '../fault.js';

export interface DatabaseOption {
  readonly database?: string;
}

/** Adds the option that selects a database. */
export const withDatabaseOption = (command: Command): Command =>
  command.option(
    '--database <url>',
    'sqlite:<file> or postgres://…; DATABASE_URL (default: sqlite:data/rookery.db, as the server)',
  );

/** The URL of the selected database, and the setting that it comes from. */
export function databaseUrlOf({ database }: DatabaseOption): { readonly url: string; readonly setting: string } {
  const url = database ?? (process.env['DATABASE_URL']?.trim() || 'sqlite:data/rookery.db');
  return { url, setting: database === undefined ? 'DATABASE_URL' : '--database' };
}

/**
 * The file of the selected database.
 * @param only what the command does, and what to use for PostgreSQL
 * @throws Fault if it is no file
 */
export function sqliteFileOf(option: DatabaseOption, only: string): string {
  const { url, setting } = databaseUrlOf(option);
  const [, path = ':memory:'] = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url) ?? [];
  if (path === ':memory:') throw new Fault(`${setting}: this command ${only}`);
  return path;
}

/** Opens the database, calls `work` with it, and closes it. @throws Fault that names the faulty setting */
export async function inDatabase<T>(option: DatabaseOption, work: (database: Database) => Promise<T>): Promise<T> {
  const { url, setting } = databaseUrlOf(option);
  const { DatabaseUnavailable, openDatabase, unavailable } = await import('rookery/internal/typeorm');
  try {
    const database = await openDatabase(url);
    try {
      return await work(database);
    } finally {
      await database.dataSource.destroy();
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    const fault: InstanceType<typeof DatabaseUnavailable> = unavailable(url, error);
    throw new Fault(fault.naming(setting));
  }
}
