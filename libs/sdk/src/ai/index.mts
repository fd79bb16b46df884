export type { ChatChannel, ChatClient } from './chat-channel.mjs';
export { RookeryChatTransport, type RookeryChatTransportOptions } from './rookery-chat-transport.mjs';
