import { type ExecutionContext, HttpException } from '@nestjs/common';
import { RookeryError } from '../rookery-error.js';
import { isRookeryRoute } from './is-rookery-route.js';

/** A refusal that Rookery's own APIs answer with a status. */
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

  /** What an application's own route answers where one of Rookery's guards refuses. */
  protected abstract get body(): string | object;

  /** What a guard throws: on Rookery's routes itself, on an application's own what Nest answers with the status. */
  in(context: ExecutionContext): Error {
    return isRookeryRoute(context) ? this : new HttpException(this.body, this.status, { cause: this });
  }

  /** The same of anything that is thrown. */
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
