import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const port = process.env['PORT'] ?? 3000;
const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(port);
console.log(`Open http://localhost:${port} in two tabs, one for each player`);
