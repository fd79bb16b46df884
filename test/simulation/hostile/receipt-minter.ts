import { subscriptionText, tokenFor } from 'rookery/internal/channels';
import { newReceipt } from '../../../libs/channels/src/wings/receipts/receipt-names.js';
import type { App } from '../../../libs/channels/src/app/app.js';
import { hostileApp } from '../cluster-options.js';
import { HostileConnection } from './hostile-connection.js';
import type { Hostile, HostileParts } from './hostile-parts.js';

const channel = 'presence-minted';
const aheadMs = 365 * 86_400_000;
const answerMs = 20_000;

/** A client of a tenant who signs receipts of the future. */
export class ReceiptMinter implements Hostile {
  private readonly connection: HostileConnection;
  private mayGoOn = false;

  constructor(
    private readonly parts: HostileParts,
    private readonly receipts: number,
  ) {
    const { world, node, number } = parts;
    const { key } = hostileApp;
    this.connection = new HostileConnection(world, node, `minter ${number}`, { key }, (_, socketId) =>
      this.mint(socketId),
    );
  }

  get wrong(): string | undefined {
    return this.mayGoOn ? `minter ${this.parts.number} is not refused with receipts of the future` : undefined;
  }

  private mint(socketId: string): void {
    const { connection, receipts } = this;
    const { world } = this.parts;
    const member = JSON.stringify({ user_id: 'mallory' });
    const auth = tokenFor(hostileApp, subscriptionText(socketId, channel, member));
    connection.send('pusher:subscribe', { channel, auth, channel_data: member });
    // The tenant's id and secret are all that signing needs of an app.
    const app = hostileApp as unknown as App;
    for (let n = 0; n < receipts; n++)
      connection.send('rookery:seen', { receipts: [newReceipt(app, channel, Date.now() + aheadMs)] }, channel);
    world.after(answerMs, () => this.look(), connection.party);
  }

  private look(): void {
    const { connection, receipts } = this;
    this.mayGoOn = connection.isOpen && connection.confirmed > 0 && connection.refused < receipts;
    connection.leave();
  }
}
