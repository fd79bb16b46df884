import { type BeamsOptions, RequestFailed } from '@rookery/client/server';
import { answered } from './answers.js';

/** Makes requests that the SDKs lack, with the secret key. @throws Fault */
export const askInstance = <Answer>(
  { url, secretKey }: BeamsOptions,
  path: string,
  method: 'GET' | 'DELETE' = 'GET',
): Promise<Answer> => answered(url, ask<Answer>(`${url}/${path}`, method, secretKey));

async function ask<Answer>(address: string, method: string, secretKey: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  const response = await fetch(address, { method, headers, signal: AbortSignal.timeout(10_000) });
  const body = await response.text();
  if (!response.ok) throw new RequestFailed(response, body);
  return JSON.parse(body) as Answer; // The types are the API's.
}
