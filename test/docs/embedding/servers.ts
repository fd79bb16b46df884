import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { createServer, type Server } from 'node:http';
import { HttpServers } from 'rookery/channels';
import { AppModule } from './app.module.js';

export async function serve(port: number): Promise<Server> {
  const express = new ExpressAdapter();
  const app = await NestFactory.create(AppModule, express, { logger: false });
  await app.init();
  const server = createServer(express.getInstance());
  app.get(HttpServers).attach(server);
  server.listen(port);
  server.once('close', () => void app.close());
  return server;
}
