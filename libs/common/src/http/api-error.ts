import { HttpException } from '@nestjs/common';

/** A refusal in the shape of the push APIs: a status, a title and a sentence (beams-wire §8). */
export class ApiError extends HttpException {
  constructor(
    status: number,
    readonly error: string,
    readonly description: string,
    /** Extra response headers, such as `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super({ error, description }, status);
  }
}
