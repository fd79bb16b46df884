import { BodyTooLarge, type PlatformRequest, rawBodyOf } from 'rookery/common';
import { bodyTooLarge, notAnObject } from './errors.js';

/** The request's body, which must be a JSON object of at most `maxKiB`; what is wrong with it is thrown as 400. */
export function jsonObjectOf(request: PlatformRequest, maxKiB: number): object {
  const value = parsed(bytesOf(request, maxKiB));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject();
  return value;
}

function bytesOf(request: PlatformRequest, maxKiB: number): Buffer {
  try {
    const bytes = rawBodyOf(request);
    if (bytes.length <= maxKiB * 1024) return bytes;
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
  }
  throw bodyTooLarge(maxKiB);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw notAnObject();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
