import { connect, type Socket } from 'node:net';
import { Agent } from 'undici';

/** A path to the server that can stall like a phone's in a tunnel: nothing is lost, and nothing arrives. */
export class StallingAgent {
  private socket: Socket | undefined;

  readonly dispatcher = new Agent({
    connect: ({ hostname, port }, callback) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      this.socket = socket;
      socket.once('connect', () => callback(null, socket)).once('error', (error) => callback(error, null));
    },
  });

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  async close(): Promise<void> {
    await this.dispatcher.destroy();
  }
}
