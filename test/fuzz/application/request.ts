import { signedQuery } from 'rookery/channels';
import { instance } from '../instance.js';
import type { Route } from './routes.js';
import { app, password } from './settings.js';

/** By the first part of the path. */
const bearers: Readonly<Record<string, string>> = {
  publish_api: instance.secretKey,
  customer_api: instance.secretKey,
  console: password,
};

/** A request that its route lets in: what is looked at is its body. */
export function requestTo({ method, path }: Route, payload: Buffer, userToken: string) {
  const api = path.split('/', 2)[1]!;
  const bearer = api === 'device_api' ? userToken : bearers[api];
  return {
    method,
    url: api === 'apps' ? `${path}?${signedQuery(app, { method, path, body: payload.toString() })}` : path,
    headers: {
      'content-type': 'application/json',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    payload,
  };
}
