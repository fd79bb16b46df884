import { forbidden } from '../console.errors.js';
import { type ConsoleRequest, isReading } from './console-request.js';

/** @throws ConsoleError 403 for a request from a page of another origin */
export function checkOrigin(request: ConsoleRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
  if (origin !== undefined && !isReading(request) && hostIn(origin) !== hostAsked(request)) throw foreign();
}

const hostAsked = ({ host, headers }: ConsoleRequest): string => (host ?? headers.host ?? '').toLowerCase();

const hostIn = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

const foreign = () => forbidden('The request comes from a page of another origin.');
