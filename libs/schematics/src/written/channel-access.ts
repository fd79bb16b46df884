/** The first authorizer. */
export const channelAccess = (hasPush: boolean): string => `import { Injectable } from '@nestjs/common';
import {
  ChannelAuthorizer,
  ChannelParam,
  CurrentUser,${hasPush ? '\n  UserAuthenticator,' : ''}
} from 'rookery/authorization';

/** What your login guard sets as \`request.user\`. */
interface User {
  readonly id: string | number;
}

/**
 * Decides who may subscribe to which channel. Until a guard sets \`request.user\`, every user is refused. Add your guard here, as in
 * \`@UseGuards(LoginGuard)\`.
 */
@Injectable()
export class ChannelAccess {
  /** Users may listen to their own channel. */
  @ChannelAuthorizer('private-user.{userId}')
  ownChannel(@CurrentUser() user: User | undefined, @ChannelParam('userId') userId: string): boolean {
    return user !== undefined && String(user.id) === userId;
  }
${
  hasPush
    ? `
  /** Whose devices a page or phone may register: those of the user who is logged in. */
  @UserAuthenticator()
  signIn(@CurrentUser() user: User | undefined): { id: string } | false {
    return user !== undefined && { id: String(user.id) };
  }
`
    : ''
}}
`;
