import type { ExecutionContext } from '@nestjs/common';
import type { App, ChannelParams } from 'rookery/channels';

/** The arguments for a host's method. They are passed after request, response and `next`. */
export interface Question {
  /** Absent if a device asks and names none. */
  readonly app?: App;
  /** The connection's socket id; absent if a device asks. */
  readonly socketId?: string;
  /** Absent when identifying the user. */
  readonly channel?: { readonly name: string; readonly params: ChannelParams };
}

export const questionIn = (context: ExecutionContext): Question => {
  const question = context.getArgByIndex<Question | undefined>(3);
  if (!question)
    throw new Error('This parameter needs a method with @ChannelAuthorizer(), @UserAuthenticator() or @OnRequest()');
  return question;
};
