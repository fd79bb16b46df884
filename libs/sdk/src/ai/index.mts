export type { ChatChannel, ChatClient } from './answers.mjs';
export { RookeryChatTransport, type RookeryChatTransportOptions } from './rookery-chat-transport.mjs';
