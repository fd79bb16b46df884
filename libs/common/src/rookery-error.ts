/**
 * A refusal of a service. If the application does not catch it, Nest answers 500 like for any error: it is not meant
 * for the application's own client.
 */
export class RookeryError extends Error {
  /** @param code for programs, such as `instance_not_found`; the message is for people */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
