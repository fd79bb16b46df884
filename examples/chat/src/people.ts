import {
  BadRequestException,
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  Post,
  UnauthorizedException,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Person {
  readonly id: string;
  readonly name: string;
}

/** The signed-in people. Yours are in a database. */
@Injectable()
export class People {
  private readonly bySession = new Map<string, Person>();
  private readonly byId = new Map<string, Person>();

  signIn(name: string): string {
    const person = { id: randomUUID(), name };
    const session = randomUUID();
    this.bySession.set(session, person);
    this.byId.set(person.id, person);
    return session;
  }

  of(session: string): Person | undefined {
    return this.bySession.get(session);
  }

  named(id: string): string {
    return this.byId.get(id)?.name ?? 'Somebody';
  }

  /** The people that a text mentions as `@name`. */
  namedIn(text: string): readonly Person[] {
    return [...this.byId.values()].filter(({ name }) => text.includes(`@${name}`));
  }
}

@Controller('session')
export class PeopleController {
  constructor(private readonly people: People) {}

  @Post()
  signIn(@Body('name') name: unknown): { session: string } {
    if (typeof name !== 'string' || name.trim() === '' || name.length > 40)
      throw new BadRequestException('Which name?');
    return { session: this.people.signIn(name.trim()) };
  }
}

/** Identifies a person by `Authorization: Bearer <session>`; each tab has a session, so two tabs are two people. */
@Injectable()
export class LoginGuard implements CanActivate {
  constructor(private readonly people: People) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IncomingMessage & { user?: Person }>();
    const session = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    request.user = this.people.of(session);
    if (!request.user) throw new UnauthorizedException('Who are you?');
    return true;
  }
}
