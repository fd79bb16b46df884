#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { HeldDeletions, type InstancePlatform, PublishMetrics } from 'rookery/publish';
import { DeviceRemovals, type Platform, platforms } from 'rookery/push-device';
import type { Database } from './database/database.js';
import { unavailable } from './database/database-unavailable.js';
import { openDatabase } from './database/open.js';
import { TypeOrmGoneDeviceRepository } from './deletions/typeorm-gone-device.repository.js';
import { TypeOrmDeviceRepository } from './devices/typeorm-device.repository.js';

const usage = `usage: rookery-deletions [<url>] [--instance <id>] [--platform <platform>] [--list | --release]

Says how many devices came back from their gateway as gone and are kept, since
there are suspiciously many.

  <url>        sqlite:data/rookery.db or postgres://user:password@host/database;
               the variable DATABASE_URL when it is left out
  --instance   of this instance only
  --platform   of this platform only: ${platforms.join(', ')}
  --list       names the devices
  --release    removes them, as after a real wave of uninstalls; it needs
               --instance, and may run beside the servers

Exit code: 0 when it is done, 1 when the database could not be used, 2 when it
was called in another way.
`;

/** What is asked for on the command line. */
interface Request {
  readonly url: string;
  readonly isUrlGiven: boolean;
  readonly instance?: string;
  readonly platform?: Platform;
  readonly action: 'count' | 'list' | 'release';
}

/** Runs the command; answers its exit code. */
async function command(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return said(process.stdout, usage, 0);
  const request = requestOf(args);
  if (!request) return said(process.stderr, usage, 2);
  try {
    const database = await openDatabase(request.url);
    try {
      for await (const line of answered(database, request)) process.stdout.write(`${line}\n`);
      return 0;
    } finally {
      await database.dataSource.destroy();
    }
  } catch (error) {
    const fault = unavailable(request.url, error).naming(request.isUrlGiven ? 'url' : 'DATABASE_URL');
    return said(process.stderr, `rookery-deletions: ${fault}\n`, 1);
  }
}

function requestOf(args: readonly string[]): Request | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        instance: { type: 'string' },
        platform: { type: 'string' },
        list: { type: 'boolean', default: false },
        release: { type: 'boolean', default: false },
      },
    });
    const [url = process.env['DATABASE_URL']] = positionals;
    const platform = platforms.find((one) => one === values.platform);
    const isUnknown = platform === undefined && values.platform !== undefined;
    if (!url || positionals.length > 1 || isUnknown || (values.list && values.release)) return undefined;
    if (values.release && values.instance === undefined) return undefined;
    const action = values.release ? 'release' : values.list ? 'list' : 'count';
    return { url, isUrlGiven: positionals.length > 0, instance: values.instance, platform, action };
  } catch {
    // An option that is not known.
    return undefined;
  }
}

async function* answered(database: Database, { instance, platform, action }: Request): AsyncGenerator<string> {
  const gone = new TypeOrmGoneDeviceRepository(database);
  const devices = new TypeOrmDeviceRepository(database);
  // Nobody listens here.
  const deletions = new HeldDeletions(gone, devices, new PublishMetrics(), new DeviceRemovals());
  const all = await deletions.totals();
  const wanted = all.filter(
    (one) => one.instanceId === (instance ?? one.instanceId) && one.platform === (platform ?? one.platform),
  );
  if (wanted.length === 0) yield 'nothing is held';
  for (const of of wanted)
    if (action === 'list') yield* listed(deletions, of);
    else if (action === 'release') yield `${nameOf(of)}: ${await deletions.release(of)} removed`;
    else yield `${nameOf(of)}: ${of.held} held`;
}

async function* listed(deletions: HeldDeletions, of: InstancePlatform & { held: number }): AsyncGenerator<string> {
  for (const { id, publishId } of await deletions.list(of, of.held)) yield `${of.instanceId} ${id} ${publishId}`;
}

const nameOf = ({ instanceId, platform }: InstancePlatform): string => `${instanceId} ${platform}`;

function said(to: NodeJS.WriteStream, text: string, code: number): number {
  to.write(text);
  return code;
}

void command(process.argv.slice(2)).then((code) => (process.exitCode = code));
