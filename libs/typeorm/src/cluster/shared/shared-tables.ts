import type { QueryRunner } from 'typeorm';
import type { PortImplementation } from '#common';
import { onPostgres } from '../../database/on-postgres.js';
import { leaseFunctions, leaseTables } from '../nodes/lease-functions.js';
import * as ports from '../ports.js';
import { laneFunctions, laneTables } from './lane-functions.js';

/** What a port keeps in tables of its own. */
interface Schema {
  readonly tables: readonly string[];
  readonly functions: readonly string[];
  /** Deletes the rows that have expired. */
  readonly sweep?: string;
}

const schemas = Object.values<PortImplementation & { readonly schema?: Schema }>(ports).flatMap(
  ({ schema }) => schema ?? [],
);

const tables = [laneTables, ...schemas.map((schema) => schema.tables), leaseTables];
const functions = [laneFunctions, ...schemas.map((schema) => schema.functions), leaseFunctions];

/** The statements that delete what has expired, with no parameters. */
export const portSweeps: readonly string[] = schemas.flatMap(({ sweep }) => sweep ?? []);

/** On PostgreSQL, creates what processes share beside their events. Can run repeatedly. */
export const createSharedState = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [...tables.flat(), ...functions.flat()]);
