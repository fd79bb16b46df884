import { StreamableFile } from '@nestjs/common';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';

/** In the package, all of it stands beside the one file that the server is; in the repository, where it is written. */
const packed = join(__dirname, 'public');
const isPacked = existsSync(packed);

/** The path of a file of the pages. */
export const publicFile = (name: string): string =>
  isPacked ? join(packed, name) : join(rootOf(__dirname), 'apps/server/public', name);

/** The path of pusher-js for browsers. */
export const pusherJsFile = (): string =>
  isPacked ? join(packed, 'pusher.min.js') : join(rootOf(__dirname), 'node_modules/pusher-js/dist/web/pusher.min.js');

/** The path of a file of Swagger UI. */
export const swaggerUiFile = (name: string): string =>
  isPacked ? join(packed, name) : join(rootOf(__dirname), 'node_modules/swagger-ui-dist', name);

/** A file as an answer. */
export const streamed = (path: string, type: string): StreamableFile =>
  new StreamableFile(createReadStream(path), { type });

/** The sources and what is compiled of them (`dist`) are below it. */
const rootOf = (folder: string): string => folder.replace(/[\\/](dist[\\/])?apps[\\/].*$/, '');
