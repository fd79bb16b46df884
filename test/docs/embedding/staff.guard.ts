import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { ConsoleModule } from '@rookery/console';

@Injectable()
export class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<IncomingMessage>();
    return headers['x-staff'] === 'yes'; // your application's own check of the request
  }
}

export const staffConsole = ConsoleModule.forRoot({ guards: [StaffGuard] });
