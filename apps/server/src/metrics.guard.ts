import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { sameSecret } from 'rookery/internal/common';

interface Request {
  readonly headers: { readonly authorization?: string };
}

export const needsToken = 'The metrics need the token in METRICS_TOKEN';

/** Who may read the metrics; undefined: anybody. */
export class MetricsToken {
  constructor(private readonly text: string | undefined) {}

  admits(authorization = ''): boolean {
    return this.text === undefined || sameSecret(authorization, `Bearer ${this.text}`);
  }
}

/** With `METRICS_TOKEN`, only those who send it get the metrics: `Authorization: Bearer <token>`, as Prometheus does. */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(private readonly token: MetricsToken) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<Request>().headers;
    if (this.token.admits(authorization)) return true;
    throw new UnauthorizedException(needsToken);
  }
}
