import { RequestFailed } from 'rookery/server';
import { Fault, lineOf } from '../fault.js';

/** Waits for an answer of the server at `url`. @throws Fault that says in one line why there is none, or what it refuses */
export async function answered<T>(url: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RequestFailed) throw new Fault(`${url} answers ${error.status}: ${wordsOf(error.body)}`);
    // What the client itself refuses needs no address.
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
    throw new Fault(`${url} does not answer: ${lineOf(error)}. Does the server run there? --url says where it is`);
  }
}

/** Channels answers a line of text, Beams JSON with a description. */
function wordsOf(body: string): string {
  try {
    const { error, description } = JSON.parse(body) as { readonly error?: string; readonly description?: string };
    return [error, description].filter(Boolean).join(': ') || body.trim();
  } catch {
    return body.trim();
  }
}
