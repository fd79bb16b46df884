import type { QueryRunner } from 'typeorm';
import { onPostgres } from '../../database/on-postgres.js';
import { channelFunctions, channelTables } from '../channels/channel-functions.js';
import { keyFunctions, keyTables } from '../idempotency/key-functions.js';
import { leaseFunctions, leaseTables } from '../nodes/lease-functions.js';
import { presenceFunctions, presenceTables } from '../presence/presence-functions.js';
import { receiptFunctions, receiptTables } from '../receipts/receipt-functions.js';
import { laneFunctions, laneTables } from './lane-functions.js';

const tables = [laneTables, channelTables, presenceTables, receiptTables, keyTables, leaseTables];
const functions = [laneFunctions, channelFunctions, presenceFunctions, receiptFunctions, keyFunctions, leaseFunctions];

/** On PostgreSQL, creates what processes share beside their events. Can run repeatedly. */
export const createSharedState = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [...tables.flat(), ...functions.flat()]);
