import type { Connection } from './connection.js';

/** Something that a feature keeps with a connection. Connections without any pay one field for all features. */
export class Slot<Value> {
  private static count = 0;
  private readonly index = Slot.count++;

  of({ slots }: Pick<Connection, 'slots'>): Value | undefined {
    return slots?.[this.index] as Value | undefined; // Only `set` writes there.
  }

  set(connection: Pick<Connection, 'slots'>, value: Value): Value {
    connection.slots ??= Array.from<unknown>({ length: Slot.count });
    connection.slots[this.index] = value;
    return value;
  }

  clear({ slots }: Pick<Connection, 'slots'>): void {
    if (slots) slots[this.index] = undefined;
  }
}
