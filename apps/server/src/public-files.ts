import { applyDecorators, Header, NotFoundException, StreamableFile } from '@nestjs/common';
import { createReadStream, existsSync } from 'node:fs';
import { extname, join } from 'node:path';

/** In the package, the files are beside the bundled server; in the repository, at their sources. */
const packed = join(__dirname, 'public');
const isPacked = existsSync(packed);

/** The path of a file of the pages. */
export const publicFile = (name: string): string =>
  isPacked ? join(packed, name) : join(rootOf(__dirname), 'apps/server/public', name);

/** The path of a file of another package, such as `pusher-js/dist/web/pusher.min.js`. */
export const packageFile = (path: string): string =>
  isPacked ? join(packed, path.split('/').at(-1)!) : join(rootOf(__dirname), 'node_modules', path);

/**
 * The headers of a page: all content comes from this server, and scripts run only from files.
 * @param styles further sources of styles
 */
export const PageHeaders = (styles = ''): MethodDecorator =>
  applyDecorators(
    Header(
      'content-security-policy',
      `default-src 'none'; script-src 'self'; style-src 'self'${styles}; img-src 'self' data:; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    Header('x-content-type-options', 'nosniff'),
    Header('referrer-policy', 'no-referrer'),
  );

const types: Readonly<Record<string, string>> = { '.html': 'html', '.js': 'javascript', '.css': 'css' };

/** A file as a response. @throws NotFoundException without a path */
export function streamed(path: string | undefined): StreamableFile {
  if (path === undefined) throw new NotFoundException();
  return new StreamableFile(createReadStream(path), { type: `text/${types[extname(path)]}; charset=utf-8` });
}

/** The directory that contains the sources and the compiled output (`dist`). */
const rootOf = (folder: string): string => folder.replace(/[\\/](dist[\\/])?apps[\\/].*$/, '');
