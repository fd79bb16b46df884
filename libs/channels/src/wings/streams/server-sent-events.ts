/** Reads the JSON of server-sent events from bytes that may be cut anywhere. */
export class ServerSentEvents {
  private readonly decoder = new TextDecoder();
  /** The parts of a line that is incomplete: joined once, however many there are. */
  private rest: string[] = [];
  private data: string[] = [];

  *add(bytes: Uint8Array): Iterable<unknown> {
    const text = this.decoder.decode(bytes, { stream: true });
    // A \r at the end may be half of a line break.
    const isInLine = !/[\r\n]/.test(text) && !this.rest.at(-1)?.endsWith('\r');
    this.rest.push(text);
    if (isInLine) return;
    const lines = this.rest.join('').split(/\r\n|\n|\r(?!$)/);
    this.rest = [lines.pop()!];
    for (const line of lines)
      if (line.startsWith('data:')) this.data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line === '') yield* this.dispatch();
  }

  private *dispatch(): Iterable<unknown> {
    const text = this.data.join('\n');
    this.data = [];
    if (text !== '' && text !== '[DONE]') yield JSON.parse(text);
  }
}
