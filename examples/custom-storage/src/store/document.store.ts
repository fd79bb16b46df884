import { Transaction } from './transaction.js';

/** A document as it was read. Its value is not to be changed. */
export interface Document<Value> {
  readonly id: string;
  /** Greater than all that a document of this id had before. */
  readonly version: number;
  readonly value: Value;
}

/** What becomes of a document: its new value, as JSON, or none where it is removed. */
export interface Write {
  readonly id: string;
  readonly value?: unknown;
  /** From when on it is gone, in epoch milliseconds; absent: it stays. */
  readonly expiresAt?: number;
}

/**
 * All that the ports of this example ask of a database: put yours behind these three methods.
 *
 * - `read` answers the document of an id.
 * - `list` answers the documents whose ids begin with `prefix`, in the order of their ids, after the id `prefix + after`.
 * - `commit` makes all writes or none: it answers false, and changes nothing, where a document has another version by now
 *   than was `seen` (0: there was none). It answers true when they are as durable as they will be.
 */
export abstract class DocumentStore {
  abstract read<Value>(id: string): Promise<Document<Value> | undefined>;
  abstract list<Value>(prefix: string, after?: string, limit?: number): Promise<readonly Document<Value>[]>;
  abstract commit(seen: ReadonlyMap<string, number>, writes: readonly Write[]): Promise<boolean>;

  /** Does the work again, from its beginning, until nobody changed in between what it has read. */
  async transact<Answer>(work: (documents: Transaction) => Promise<Answer>): Promise<Answer> {
    // One of those who race always wins, so the others get their turn. Over a network, wait a random moment in between.
    for (;;) {
      const documents = new Transaction(this);
      const answer = await work(documents);
      if (await documents.commit()) return answer;
    }
  }
}

/** An id of several parts, none of which can be written as two. */
export const path = (...parts: readonly string[]): string => parts.map(escaped).join('/');

/** What the ids of all documents begin with that are below these parts. */
export const folder = (...parts: readonly string[]): string => `${path(...parts)}/`;

/** A moment or a count as a text that is in the same order. */
export const ordered = (number: number): string => String(number).padStart(16, '0');

const escaped = (part: string): string => part.replaceAll('%', '%25').replaceAll('/', '%2F');
