import { StreamableFile } from '@nestjs/common';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';

/** In the package, the files are beside the bundled server; in the repository, at their sources. */
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

/** A file as a response. */
export const streamed = (path: string, type: string): StreamableFile =>
  new StreamableFile(createReadStream(path), { type });

/** The directory that contains the sources and the compiled output (`dist`). */
const rootOf = (folder: string): string => folder.replace(/[\\/](dist[\\/])?apps[\\/].*$/, '');
