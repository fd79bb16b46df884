import type { InputOf, OutputOf } from './data-types.js';
import type { DataDefinition } from './define-events.js';
import type { Json } from './json.js';

/** The data of a request, and of its reply. */
export interface RequestDefinition {
  readonly request: DataDefinition;
  readonly reply: DataDefinition;
}

/** Requests by their names. */
export type RequestDefinitions = Readonly<Record<string, RequestDefinition>>;

/** Declares requests and their replies: `defineRequests({ move: { request: MoveDto, reply: BoardDto } })`. */
export const defineRequests = <const Requests extends RequestDefinitions>(requests: Requests): Requests => requests;

/** The data to ask with. */
export type AskedData<Definition extends RequestDefinition> = InputOf<Definition['request']>;

/** What a method that answers returns. */
export type GivenReply<Definition extends RequestDefinition> = InputOf<Definition['reply']>;

/** The reply, as the page gets it. */
export type ReplyData<Definition extends RequestDefinition> = Json<OutputOf<Definition['reply']>>;
