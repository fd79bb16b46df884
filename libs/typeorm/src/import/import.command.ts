#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isInstanceId } from 'rookery/push-device';
import { openDatabase } from '../database/open.js';
import { migrate } from '../migrations/migrate.js';
import { importDevices } from './import-devices.js';

const usage = 'usage: rookery-import <url> <instance id> [file]; without a file, the lines come from standard input';

/** `rookery-import <url> <instance id> [file]`: imports devices, one JSON object a line, and says what it did. */
async function command(url?: string, instanceId?: string, file?: string): Promise<void> {
  if (!url || !isInstanceId(instanceId)) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const database = await openDatabase(url);
  try {
    await migrate(database.dataSource);
    const lines = createInterface({ input: file === undefined ? process.stdin : createReadStream(file) });
    const refused = (line: number, reason: string) => console.error(`line ${line} is refused: ${reason}`);
    const counts = await importDevices(database, instanceId, lines, refused);
    console.log(`imported ${counts.imported}, refused ${counts.refused}`);
    if (counts.refused > 0) process.exitCode = 1;
  } finally {
    await database.dataSource.destroy();
  }
}

command(...process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
