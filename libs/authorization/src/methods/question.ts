import type { ExecutionContext } from '@nestjs/common';
import type { App, ChannelParams } from 'rookery/channels';

/** The arguments for a host's method. They travel behind request, response and `next`. */
export interface Question {
  /** Absent where a device asks and names none. */
  readonly app?: App;
  /** Of the connection; absent where a device asks. */
  readonly socketId?: string;
  /** Absent when identifying the user. */
  readonly channel?: { readonly name: string; readonly params: ChannelParams };
}

export const questionIn = (context: ExecutionContext): Question => {
  const question = context.getArgByIndex<Question | undefined>(3);
  if (!question) throw new Error('This parameter is of methods with @ChannelAuthorizer() or @UserAuthenticator()');
  return question;
};
