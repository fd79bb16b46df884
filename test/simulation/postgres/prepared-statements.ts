import { message } from './wire-format.js';

const parseComplete = message('1', Buffer.alloc(0));

/** What is sent to the backend in place of a batch. */
interface Prepared {
  readonly bytes: Buffer;
  /** What the backend does not answer, since it has the statement already. */
  readonly answered: Buffer | undefined;
  /** The backend has refused the statement. */
  readonly failed: () => void;
}

/**
 * Gives statements names by which the backend knows them when they come again: most of the time of a statement that is
 * new to it is that of its planning.
 */
export class PreparedStatements {
  private readonly names = new Map<string, string>();
  private count = 0;

  of(batch: Buffer): Prepared {
    if (batch[0] !== 0x50) return { bytes: batch, answered: undefined, failed: () => {} };
    const end = 1 + batch.readInt32BE(1);
    // The statement's own name is empty: pg names none.
    const text = batch.toString('latin1', 6, end);
    const known = this.names.get(text);
    const name = known ?? `s${(this.count += 1)}`;
    this.names.set(text, name);
    const parse = known ? [] : [message('P', Buffer.concat([Buffer.from(name), batch.subarray(5, end)]))];
    const bindEnd = end + 1 + batch.readInt32BE(end + 1);
    // The portal's name is empty, too.
    const bind = message('B', Buffer.concat([Buffer.from(`\0${name}`), batch.subarray(end + 6, bindEnd)]));
    return {
      bytes: Buffer.concat([...parse, bind, batch.subarray(bindEnd)]),
      answered: known ? parseComplete : undefined,
      failed: () => void this.names.delete(text),
    };
  }
}
