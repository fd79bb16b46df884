import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isRookeryRoute } from 'rookery/channels';

@Injectable()
export class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext) {
    if (isRookeryRoute(context)) return true;
    return context.switchToHttp().getRequest().headers.cookie === 'session=alice';
  }
}
