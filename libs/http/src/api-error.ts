import { type ExecutionContext, HttpException } from '@nestjs/common';
import { RookeryError } from '#common';
import { isRookeryRoute } from './is-rookery-route.js';

/** A refusal that Rookery's APIs answer with a status. */
export abstract class StatusError extends RookeryError {
  constructor(
    code: string,
    readonly status: number,
    message: string,
    /** Extra response headers, such as `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message);
  }

  /** The answer of an application's own route when one of Rookery's guards refuses. */
  protected abstract get body(): string | object;

  /**
   * The error for a guard to throw: itself on Rookery's routes, on an application's own an HttpException of the status.
   */
  in(context: ExecutionContext): Error {
    return isRookeryRoute(context) ? this : new HttpException(this.body, this.status, { cause: this });
  }

  /** The same for any thrown value. */
  static in(context: ExecutionContext, thrown: unknown): unknown {
    return thrown instanceof StatusError ? thrown.in(context) : thrown;
  }
}

/** A refusal in the shape of the push APIs: a status, a title and a sentence (beams-wire §8). */
export class ApiError extends StatusError {
  constructor(
    code: string,
    status: number,
    readonly error: string,
    description: string,
    headers?: Readonly<Record<string, string>>,
  ) {
    super(code, status, description, headers);
  }

  protected get body(): object {
    return { error: this.error, description: this.message };
  }
}
