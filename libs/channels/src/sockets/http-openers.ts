import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { peerAddress } from '#http';
import type { Budgets } from '../connections/budgets.js';
import type { ClientAddresses } from '../access/client-addresses.js';

/** More than the pages of one browser open over a single TCP connection at a time. */
const maxPerSocket = 32;

/**
 * Limits how many connections over HTTP a client opens. Such a connection outlives the request that opened it, so a
 * client could otherwise hold tens of thousands over a few TCP connections. Each TCP connection of a client may open
 * 32, and each network as many as the settings allow. TCP connections of a trusted proxy, which carry many clients, are
 * not counted.
 */
export class HttpOpeners {
  private readonly bySocket = new WeakMap<Socket, number>();

  constructor(
    private readonly addresses: ClientAddresses,
    private readonly budgets: Budgets,
  ) {}

  /** @returns a function to call once, when the connection ends; undefined when its opener has too many connections */
  open(request: IncomingMessage): (() => void) | undefined {
    const { socket } = request;
    const forwarded = this.addresses.forwarded(request);
    const network = this.budgets.network(forwarded ?? peerAddress(request));
    const ofSocket = this.bySocket.get(socket) ?? 0;
    const isDirect = forwarded === undefined;
    if ((isDirect && ofSocket >= maxPerSocket) || network?.take('httpConnections')) return undefined;
    this.bySocket.set(socket, ofSocket + 1);
    return () => {
      this.bySocket.set(socket, this.bySocket.get(socket)! - 1);
      network?.add('httpConnections', -1);
    };
  }
}
