export { clientKey } from './client.mjs';
export { type TypedHooks, typedHooks } from './typed-hooks.mjs';
export { useChannel } from './use-channel.mjs';
export { useChannelState } from './use-channel-state.mjs';
export { useEvent } from './use-event.mjs';
export { usePresence } from './use-presence.mjs';
export { useUnread } from './use-unread.mjs';
export type { ChannelView, EchoClient, Member, PageClient, PusherClient, Roster } from '../hooks/index.mjs';
