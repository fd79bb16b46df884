import { Module } from '@nestjs/common';
import Pusher from 'pusher';
import { LoginGuard, People, PeopleController } from '../src/people.js';
import { AuthController } from './auth.controller.js';
import { Rooms, RoomsController } from './rooms.js';
import { WebhooksController } from './webhooks.controller.js';

const pusher = () =>
  new Pusher({
    appId: 'chat',
    key: 'chat-key',
    secret: 'chat-secret',
    host: process.env['PUSHER_HOST'] ?? '127.0.0.1',
    port: process.env['PUSHER_PORT'] ?? '6001',
    useTLS: process.env['PUSHER_TLS'] === 'true',
  });

@Module({
  controllers: [PeopleController, RoomsController, AuthController, WebhooksController],
  providers: [People, LoginGuard, Rooms, { provide: Pusher, useFactory: pusher }],
})
export class AppModule {}
