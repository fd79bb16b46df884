import { hashOf } from '#common';

/** The number of partitions over which the keys are spread; a Redis Cluster places them on all its shards. */
export const partitions = 128;

/** All partitions, by number. */
export const allPartitions: readonly number[] = Array.from({ length: partitions }, (_, partition) => partition);

/** Encodes a text without spaces, unambiguously. */
export const word = (text: string): string => text.replaceAll('%', '%25').replaceAll(' ', '%20');

const text = (of: string): string => of.replaceAll('%20', ' ').replaceAll('%25', '%');

/** Joins two texts unambiguously: the first as a {@link word}. */
export const nameOf = (scope: string, name: string): string => `${word(scope)} ${name}`;

/** The two texts of {@link nameOf}. */
export function partsOf(joined: string): { readonly scope: string; readonly name: string } {
  const space = joined.indexOf(' ');
  return { scope: text(joined.slice(0, space)), name: joined.slice(space + 1) };
}

/** Stable across processes and versions. */
export const partitionOf = (name: string): number => hashOf(name) % partitions;

/** The names of all keys. The part between braces decides the key's shard in a Redis Cluster. */
export class Keys {
  /** How topics begin, after the prefix of their partition: pub/sub reaches all databases of a Redis. */
  readonly topics: string;

  constructor(
    readonly prefix: string,
    database: number,
  ) {
    this.topics = database === 0 ? 'topic:' : `topic-${database}:`;
  }

  /** The key prefix of a partition: a script can only access keys of one partition. */
  in(partition: number): string {
    return `${this.prefix}:{${partition}}:`;
  }

  /** The request rate of a name; the rates of several names are updated in one step. */
  ofRates(name: string): string {
    return `${this.prefix}:{rates}:${name}`;
  }

  ofSignIn(name: string): string {
    return `${this.in(partitionOf(name))}sign-in:${name}`;
  }

  /** The keys about the processes themselves. */
  ofNodes(kind: string): string {
    return `${this.prefix}:{nodes}:${kind}`;
  }
}

/**
 * What a script declares that uses any keys with the prefix, which is its `KEYS[1]`. No key has either name: while a slot
 * of a cluster moves, Redis refuses a script with several keys of which one is missing, until it is over. A script with
 * one missing key would run at the new node, and the old one still has some of those that it uses.
 */
export const anyWith = (prefix: string): readonly string[] => [prefix, `${prefix}any`];

/** Groups the items by partition. */
export function byPartition<Item>(items: readonly Item[], of: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const partition = of(item);
    const group = groups.get(partition);
    if (group) group.push(item);
    else groups.set(partition, [item]);
  }
  return groups;
}
