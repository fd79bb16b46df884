import { hashOf } from 'rookery/common';

/** Over so many partitions the keys are spread; a Redis Cluster has them on all its shards. */
export const partitions = 128;

/** All partitions, by number. */
export const allPartitions: readonly number[] = Array.from({ length: partitions }, (_, partition) => partition);

/** A text without spaces, which no other text makes. */
export const word = (text: string): string => text.replaceAll('%', '%25').replaceAll(' ', '%20');

const text = (of: string): string => of.replaceAll('%20', ' ').replaceAll('%25', '%');

/** Two texts as one that no other two make: the first as a {@link word}. */
export const nameOf = (scope: string, name: string): string => `${word(scope)} ${name}`;

/** The two texts of {@link nameOf}. */
export function partsOf(joined: string): { readonly scope: string; readonly name: string } {
  const space = joined.indexOf(' ');
  return { scope: text(joined.slice(0, space)), name: joined.slice(space + 1) };
}

/** The same in every process and version. */
export const partitionOf = (name: string): number => hashOf(name) % partitions;

/** The names of all keys. What is between braces decides where in a Redis Cluster a key is. */
export class Keys {
  constructor(private readonly prefix: string) {}

  /** What the keys of a partition begin with: a script can only touch those of one. */
  in(partition: number): string {
    return `${this.prefix}:{${partition}}:`;
  }

  /** How often requests came that are counted under a name: those of several names are counted in one step. */
  ofRates(name: string): string {
    return `${this.prefix}:{rates}:${name}`;
  }

  ofSignIn(name: string): string {
    return `${this.in(partitionOf(name))}sign-in:${name}`;
  }

  /** Those of the processes themselves. */
  ofNodes(kind: string): string {
    return `${this.prefix}:{nodes}:${kind}`;
  }
}

/** The items by their partition. */
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
