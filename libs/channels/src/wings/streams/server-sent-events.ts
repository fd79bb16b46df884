/** Reads the JSON of server-sent events from bytes that may be cut anywhere. */
export class ServerSentEvents {
  private readonly decoder = new TextDecoder();
  private rest = '';
  private data: string[] = [];

  *add(bytes: Uint8Array): Iterable<unknown> {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop()!;
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
