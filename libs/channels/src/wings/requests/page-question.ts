import { nodeSubject } from '../../broker/node-rpc.js';

/** A question of the server to the pages of a user, or to one connection. */
export interface PageQuestion {
  readonly id: string;
  readonly appId: string;
  /** The process that waits for the answer. */
  readonly from: string;
  readonly userId?: string;
  readonly socketId?: string;
  readonly name: string;
  /** Of the data. */
  readonly json: string;
  readonly timeoutMs: number;
}

/** The answer of a page: data, or the text of an error. */
export interface PageAnswer {
  readonly id: string;
  readonly data?: unknown;
  readonly error?: string;
}

/** Each process answers how many of its connections it has asked. */
export const pageQuestion = nodeSubject<PageQuestion, number>('requests.ask');

export const pageAnswer = nodeSubject<PageAnswer>('requests.answer');
