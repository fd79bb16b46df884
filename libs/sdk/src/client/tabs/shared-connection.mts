import { Emitter } from './emitter.mjs';

/** The connection that tabs share, as pusher-js shows it. */
export class SharedConnection extends Emitter {
  state = 'initialized';
  socket_id: string | undefined;

  /** For internal use: takes the state of the host's connection, and emits the change. */
  becomes(state: string, socketId?: string, data?: unknown): void {
    const previous = this.state;
    if (state === previous) return;
    this.state = state;
    this.socket_id = socketId;
    this.emit('state_change', { previous, current: state });
    this.emit(state, state === 'connected' ? { socket_id: socketId } : data);
  }
}

/** The signed-in user, as in pusher-js. */
export class SharedUser extends Emitter {
  user_data: ({ readonly id: string } & Record<string, unknown>) | null = null;
  signin_requested = false;
  readonly watchlist = new Emitter();

  /** @param changed called when the tab begins to sign in */
  constructor(private readonly changed: () => void) {
    super();
  }

  signin(): void {
    if (this.signin_requested) return;
    this.signin_requested = true;
    this.changed();
  }
}
