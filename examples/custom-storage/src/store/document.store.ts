import { Transaction } from './transaction.js';

/** A document as it was read. Its value is not to be changed. */
export interface Document<Value> {
  readonly id: string;
  /** Greater than all earlier versions of a document with this id. */
  readonly version: number;
  readonly value: Value;
}

/** A change of a document: its new value, as JSON, or none to remove it. */
export interface Write {
  readonly id: string;
  readonly value?: unknown;
  /** When it expires, in epoch milliseconds; absent: never. */
  readonly expiresAt?: number;
}

/**
 * All that the ports of this example need from a database: implement these three methods on yours.
 *
 * - `read` answers the document of an id.
 * - `list` answers the documents whose ids begin with `prefix`, in the order of their ids, after the id `prefix +
 *   after`.
 * - `commit` makes all writes or none: it answers false, and changes nothing, where a document has another version by
 *   now than was `seen` (0: there was none). It answers true when they are as durable as they will be.
 */
export abstract class DocumentStore {
  abstract read<Value>(id: string): Promise<Document<Value> | undefined>;
  abstract list<Value>(prefix: string, after?: string, limit?: number): Promise<readonly Document<Value>[]>;
  abstract commit(seen: ReadonlyMap<string, number>, writes: readonly Write[]): Promise<boolean>;

  /** Repeats the work from its beginning until nothing that it has read changed in between. */
  async transact<Answer>(work: (documents: Transaction) => Promise<Answer>): Promise<Answer> {
    // One of several concurrent calls always wins, so the others get their turn. Over a network, wait a random time
    // between.
    for (;;) {
      const documents = new Transaction(this);
      const answer = await work(documents);
      if (await documents.commit()) return answer;
    }
  }
}

/** An unambiguous id of several parts. */
export const path = (...parts: readonly string[]): string => parts.map(escaped).join('/');

/** The prefix of the ids of all documents below these parts. */
export const folder = (...parts: readonly string[]): string => `${path(...parts)}/`;

/** A time or a count as a text that sorts in the same order. */
export const ordered = (number: number): string => String(number).padStart(16, '0');

const escaped = (part: string): string => part.replaceAll('%', '%25').replaceAll('/', '%2F');
