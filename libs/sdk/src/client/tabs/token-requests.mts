import type { Handler } from './options.mjs';

interface Request {
  /** The tab that was asked. */
  readonly tab: string;
  readonly channelName: string | undefined;
  readonly socketId: string;
  readonly callback: Parameters<Handler>[1];
}

/** Asks tabs for the tokens of the host's connection: one tab for each, and another if that tab closes. */
export class TokenRequests {
  private readonly pending = new Map<string, Request>();

  constructor(
    /** A tab that holds the channel, or signs in. */
    private readonly tabFor: (channelName: string | undefined) => string | undefined,
    private readonly ask: (tab: string, id: string, socketId: string, channelName: string | undefined) => void,
  ) {}

  readonly handler: Handler = ({ socketId, channelName }, callback) => {
    const tab = this.tabFor(channelName);
    if (tab === undefined) return callback(new Error('No tab is left that could authorize it'), null);
    const id = crypto.randomUUID();
    this.pending.set(id, { tab, channelName, socketId, callback });
    this.ask(tab, id, socketId, channelName);
  };

  answered(id: string, error: string | undefined, token: unknown): void {
    const request = this.pending.get(id);
    this.pending.delete(id);
    request?.callback(error === undefined ? null : new Error(error), token);
  }

  closed(tab: string): void {
    for (const [id, request] of this.pending)
      if (request.tab === tab) {
        this.pending.delete(id);
        this.handler({ socketId: request.socketId, channelName: request.channelName }, request.callback);
      }
  }
}
