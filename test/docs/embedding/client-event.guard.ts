import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ChannelsModule, type Connection, type SocketMessage } from 'rookery/channels';
import { testApp } from '../../support/channels-server.js';

@Injectable()
export class TypingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const socket = context.switchToWs();
    const message = socket.getData<SocketMessage>();
    const { user } = socket.getClient<Connection>();
    switch (message.event) {
      case 'pusher:subscribe':
      case 'pusher:signin':
        return true;
      case 'client-typing':
        return user !== undefined;
      default:
        return false; // Also what you have not thought of.
    }
  }
}

export const guarded = ChannelsModule.forRoot({
  apps: [{ ...testApp, clientEvents: true }],
  sockets: { guards: [TypingGuard] },
});
