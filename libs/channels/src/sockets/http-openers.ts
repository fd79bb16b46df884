import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from 'rookery/common';
import { clientAddress } from '../connections/client-address.js';

/** More than the pages of a browser open over one TCP connection before others of theirs are over. */
const mostPerSocket = 32;

/**
 * Who has opened how many of the connections over HTTP. One outlives the request that opened it, so that a client could
 * have tens of thousands for a few TCP connections: each TCP connection of a client may have opened 32 of them, and each
 * network as many as the settings say. The TCP connections of a proxy, which carry many clients, are not counted.
 */
export class HttpOpeners {
  private readonly bySocket = new WeakMap<Socket, number>();
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly mostPerNetwork: number) {}

  /** @returns what is to be called once, when the connection is over; undefined when its opener has too many */
  open({ socket, headers }: IncomingMessage): (() => void) | undefined {
    const forwardedFor = String(headers['x-forwarded-for'] ?? '') || undefined;
    const network = clientNetwork(clientAddress(socket.remoteAddress ?? '', forwardedFor));
    const ofSocket = this.bySocket.get(socket) ?? 0;
    const ofNetwork = this.ofNetwork(network);
    const isDirect = forwardedFor === undefined;
    if ((isDirect && ofSocket >= mostPerSocket) || ofNetwork >= this.mostPerNetwork) return undefined;
    this.bySocket.set(socket, ofSocket + 1);
    this.setOfNetwork(network, ofNetwork + 1);
    return () => {
      this.bySocket.set(socket, this.bySocket.get(socket)! - 1);
      this.setOfNetwork(network, this.ofNetwork(network) - 1);
    };
  }

  private ofNetwork(network: string | undefined): number {
    return network === undefined ? 0 : (this.byNetwork.get(network) ?? 0);
  }

  private setOfNetwork(network: string | undefined, count: number): void {
    if (network === undefined) return;
    if (count > 0) this.byNetwork.set(network, count);
    else this.byNetwork.delete(network);
  }
}
