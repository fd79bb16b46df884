import { type Migration, migrations } from './index.js';
import { takenOver } from './take-over.js';

/**
 * Returns the migrations that a database lacks.
 *
 * @param applied the names of its applied migrations
 * @throws Error if no migration leads from there to here
 */
export function pendingAfter(applied: ReadonlySet<string>): readonly Migration[] {
  const pending = migrations.filter(({ name }) => !applied.has(name));
  if (applied.size === 0 || pending.length < migrations.length) return pending;
  const last = [...applied].toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1)!;
  if (takenOver.includes(last)) return pending;
  throw new Error(
    `This database was last migrated by ${last}, which this version of Rookery does not know: it opens databases of ` +
      'revision 53a265f and later. Start revision 53a265f on it first',
  );
}

const timeOf = (name: string): number => Number(name.slice(-13));
