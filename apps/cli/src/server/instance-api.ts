import { type BeamsOptions, RequestFailed } from 'rookery/server';
import { answered } from './answers.js';

/** Makes requests that the SDKs lack: GETs a path of the server, with the secret key. @throws Fault */
export const askInstance = <Answer>({ url, secretKey }: BeamsOptions, path: string): Promise<Answer> =>
  answered(url, get<Answer>(`${url}/${path}`, secretKey));

async function get<Answer>(address: string, secretKey: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(10_000) });
  const body = await response.text();
  if (!response.ok) throw new RequestFailed(response, body);
  return JSON.parse(body) as Answer; // The types are the API's.
}
