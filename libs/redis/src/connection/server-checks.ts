import { Cluster, type Redis } from 'ioredis';
import type { Keys } from '../keys.js';
import { checkRights } from './rights.js';

/** The first version with sharded pub/sub. */
const minVersion = 7;

/**
 * Refuses a Redis that would lose data, or that denies this user something that is needed later.
 * @throws Error that names the setting to change
 */
export async function checkServer(client: Redis | Cluster, keys: Keys, username: string): Promise<void> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  for (const node of nodes) {
    await checkRights(node, keys, username);
    const info = fieldsOf(await node.info());
    checkInfo(info);
    if (!(client instanceof Cluster) && info.get('redis_mode') === 'cluster') await checkSingleNode(node);
  }
}

/** A node that is a cluster alone serves as a Redis of its own; others answer that the keys are elsewhere. */
async function checkSingleNode(node: Redis): Promise<void> {
  const nodes = fieldsOf(await node.cluster('INFO')).get('cluster_size');
  if (Number(nodes) > 1) throw new Error('This Redis is a node of a cluster: write redis+cluster://');
}

/** @param info the fields of Redis's INFO answer */
export function checkInfo(info: ReadonlyMap<string, string>): void {
  const version = info.get('redis_version') ?? '0';
  if (Number.parseInt(version, 10) < minVersion)
    throw new Error(`Redis ${minVersion} or Valkey is needed, this is Redis ${version}`);
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (info.get('maxmemory') !== '0' && policy !== 'noeviction')
    throw new Error(`maxmemory-policy is ${policy}: Redis may evict live state. Set it to noeviction`);
  if (info.get('role') === 'slave') throw new Error('This Redis is a replica: name the master, or its sentinels');
}

/** Which Redis is at the other end of a connection, and whether it is a replica. */
export interface ServerIdentity {
  readonly runId: string;
  readonly isReplica: boolean;
}

/** @throws Error when the connection is broken */
export async function identityOf(client: Redis): Promise<ServerIdentity> {
  const fields = fieldsOf(await client.info());
  return { runId: fields.get('run_id') ?? '', isReplica: fields.get('role') === 'slave' };
}

/** Parses lines of `name:value`, with headings between them. */
export function fieldsOf(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}
