import { newReceipt } from '../../../../libs/channels/src/wings/receipts/receipt-names.js';
import type { App } from 'rookery/channels';
import type { Attack } from '../attack.js';
import { hostileApp } from '../hostile-app.js';
import { memberFrame, seenFrame } from '../rude-socket.js';

const messagesPerSecond = 8;
const readsPerSecond = 10;
const receiptsOfMessage = 100;
const channel = 'presence-minted';
const year = 365 * 86_400_000;

/** A tenant signs receipts of the future and of the past, and its client says that it has seen them. */
export const mintReceipts: Attack = {
  meets: ['404'],
  run(rude) {
    // The tenant's secret is all that signing needs of an app.
    const app = hostileApp as unknown as App;
    const mint = (years: number): string => newReceipt(app, channel, Date.now() + years * year);
    const minted = (): string[] => Array.from({ length: receiptsOfMessage }, (_, n) => mint(n % 2 === 0 ? 800 : -50));
    const report = rude.always(
      async (socket) => {
        socket.write(memberFrame(channel, socket.socketId, 'mallory', hostileApp));
        await socket.hears(/subscription_succeeded/);
        await rude.paced(messagesPerSecond, () => socket.write(seenFrame(channel, minted())), socket);
      },
      { app: hostileApp },
    );
    return Promise.all([report, rude.paced(readsPerSecond, () => rude.asTenant('GET', `/receipts/${mint(800)}`))]);
  },
};
