import { badRequest } from '../console.errors.js';

/** An event sent by the event creator. */
export interface EventBody {
  readonly channels: readonly string[];
  readonly name: string;
  readonly data: string;
  readonly socketId?: string;
}

/** @throws ConsoleError 400; the app's limits are checked like those of any trigger */
export function eventBody(body: Readonly<Record<string, unknown>>): EventBody {
  const { channels, name, data, socketId } = body;
  if (!Array.isArray(channels) || channels.length === 0 || !channels.every((each) => typeof each === 'string'))
    throw badRequest('channels must be a list of at least one name.');
  if (typeof name !== 'string' || name === '') throw badRequest('name must be a text that is not empty.');
  if (typeof data !== 'string') throw badRequest('data must be a text.');
  if (socketId !== undefined && typeof socketId !== 'string') throw badRequest('socketId must be a text.');
  return { channels, name, data, ...(socketId !== undefined && socketId !== '' && { socketId }) };
}
