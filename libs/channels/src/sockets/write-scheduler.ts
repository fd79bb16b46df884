/** Something that has bytes to pass on before the tick ends. */
export interface Writer {
  /** Passes on what is due. */
  flush(): void;
}

// Long enough to be worth it, short enough that requests and pings do not notice a broadcast to a large channel.
const sliceMs = 4;
const checkEvery = 64;

/**
 * Lets every connection write once per tick, however many events are due for it. Channels hand their frames to their
 * connections first, then the connections write. A long round is cut into slices, with the event loop in between; what
 * becomes due for a connection that has not had its turn joins the same write, so nothing is reordered.
 */
export class WriteScheduler {
  private channels: Writer[] = [];
  private connections: Writer[] = [];
  private next = 0;
  private isScheduled = false;

  channelDue(channel: Writer): void {
    this.channels.push(channel);
    this.schedule();
  }

  connectionDue(connection: Writer): void {
    this.connections.push(connection);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.run);
  }

  private readonly run = (): void => {
    this.isScheduled = false;
    const channels = this.channels;
    if (channels.length > 0) {
      this.channels = [];
      for (const channel of channels) channel.flush();
    }
    this.writeSlice();
    if (this.next < this.connections.length) return this.schedule();
    this.connections = [];
    this.next = 0;
  };

  private writeSlice(): void {
    const end = performance.now() + sliceMs;
    const { connections } = this;
    while (this.next < connections.length) {
      connections[this.next++]!.flush();
      if (this.next % checkEvery === 0 && performance.now() > end) return;
    }
  }
}
