import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

export interface User {
  readonly id: string;
  readonly isStaff: boolean;
}

const users: readonly User[] = [
  { id: 'alice', isStaff: false },
  { id: 'bob', isStaff: false },
  { id: 'bakery', isStaff: true },
];

/** Trusts `Authorization: Bearer <user id>`, so that a tab may be any user. Yours checks a session or a token. */
@Injectable()
export class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IncomingMessage & { user?: User }>();
    request.user = users.find(({ id }) => request.headers.authorization === `Bearer ${id}`);
    if (!request.user) throw new UnauthorizedException('Who are you?');
    return true;
  }
}
