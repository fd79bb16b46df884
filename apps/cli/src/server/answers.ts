import { RequestFailed } from '@rookery/client/server';
import { Fault, lineOf, Refused } from '../fault.js';

/**
 * Waits for an answer of the server at `url`. @throws Fault that explains in one line why none came, or what was
 * refused
 */
export async function answered<T>(url: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RequestFailed) {
      const Kind = error.status < 500 && error.status !== 429 ? Refused : Fault;
      throw new Kind(`${url} answers ${error.status}: ${wordsOf(error.body)}`);
    }
    // Errors of the client itself need no address.
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
    throw new Fault(`${url} does not answer: ${lineOf(error)}. Is the server running there? Set its URL with --url`);
  }
}

/** Channels answers with a line of text, Beams with JSON that has a description. */
function wordsOf(body: string): string {
  // The text is for authors of SDKs.
  if (body.startsWith('Invalid signature: you should have sent')) return 'the secret is not that of the key';
  try {
    const { error, description } = JSON.parse(body) as { readonly error?: string; readonly description?: string };
    return [error, description].filter(Boolean).join(': ') || body.trim();
  } catch {
    return body.trim();
  }
}
