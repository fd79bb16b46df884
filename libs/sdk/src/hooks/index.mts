export type { ChannelView } from './channel-view.mjs';
export { listen, type Wanted } from './held-channels.mjs';
export type { EchoClient, PageChannel, PageClient, PageMembers, PusherClient } from './page-client.mjs';
export type { Member, Roster } from './roster.mjs';
export { rosterStore, stateStore, type Store, viewStore } from './store.mjs';
export type { TypedChanges, TypedEvent, TypedView } from './typed.mjs';
export { unreadStore } from './unread.mjs';
