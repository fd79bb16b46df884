/**
 * What a service refuses. To an application that lets it pass it is an error as any other, which Nest answers with 500:
 * it is not an answer to the application's own client.
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
