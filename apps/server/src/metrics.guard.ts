import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { sameSecret } from '#common';

interface Request {
  readonly headers: { readonly authorization?: string };
}

/** Who may read the metrics; undefined: anybody. */
export class MetricsToken {
  constructor(readonly text: string | undefined) {}
}

/** With `METRICS_TOKEN`, only those who send it get the metrics: `Authorization: Bearer <token>`, as Prometheus does. */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(private readonly token: MetricsToken) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    const { text } = this.token;
    if (text === undefined || sameSecret(authorization, `Bearer ${text}`)) return true;
    throw new UnauthorizedException('The metrics need the token in METRICS_TOKEN');
  }
}
