import { ReplyError } from 'ioredis';

/** Whether Redis itself has answered the error. Minifiers rename its class, and its package may be installed twice. */
export const isReplyError = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ReplyError' || error instanceof ReplyError);
