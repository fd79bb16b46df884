import { Controller, type INestApplication, Post, UseGuards } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../app/app.js';
import { ChannelsSettings } from '../channels.options.js';
import type { AppRepository } from './app.repository.js';
import { Apps } from './apps.js';
import { signedQuery } from './signed-query.js';
import { CurrentApp, Parameters, SignedRequestGuard, TextBody } from './signed-request.guard.js';
import { SignedRequests } from './signed-request.js';

const app = { id: '3', key: 'k', secret: 's' };

@Controller()
class HostController {
  @Post('stats/:appId')
  @UseGuards(SignedRequestGuard)
  stats(@CurrentApp() { id }: App, @Parameters() parameters: object) {
    return { id, parameters };
  }

  @Post('text')
  @TextBody()
  @UseGuards(SignedRequestGuard)
  text(@Parameters() parameters: object) {
    return parameters;
  }

  @Post('unguarded')
  unguarded(@CurrentApp() { id }: App) {
    return id;
  }
}

let host: INestApplication | undefined;
afterEach(() => host?.close());

const inMemory = { findById: () => app, findByKey: (key: string) => (key === app.key ? app : undefined) };
const inDatabase = { ...inMemory, findByKey: async (key: string) => inMemory.findByKey(key) };

async function start(repository: AppRepository, settings: Partial<ChannelsSettings> = {}) {
  const module = await Test.createTestingModule({
    controllers: [HostController],
    providers: [
      { provide: SignedRequests, useValue: new SignedRequests(new Apps(repository), { all: [''] }) },
      { provide: ChannelsSettings, useValue: { localOnly: [], ...settings } },
    ],
  }).compile();
  host = module.createNestApplication({ logger: false, rawBody: true });
  await host.listen(0, '127.0.0.1');
  const { port } = host.getHttpServer().address() as AddressInfo;
  return async (path: string, body: string, headers: Record<string, string> = {}, pair = app) => {
    const query = signedQuery(pair, { method: 'POST', path, query: { a: 1 }, body });
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    const answer = await fetch(`http://127.0.0.1:${port}${path}?${query}`, sent);
    return { status: answer.status, body: await answer.json() };
  };
}

describe.each([
  ['at once', inMemory],
  ['later', inDatabase],
])('a signed request to a route of the host, of an app that is found %s', (_, repository) => {
  it('has its app, and the parameters of its query and its body', async () => {
    const post = await start(repository);
    expect(await post('/stats/3', '{"b":2}')).toEqual({
      status: 201,
      body: { id: '3', parameters: { a: '1', b: 2 } },
    });
  });

  it('is refused in the way of the host without a valid signature, or for another app', async () => {
    const post = await start(repository);
    const refused = { status: 401, body: { statusCode: 401, message: expect.stringContaining('Invalid signature') } };
    expect(await post('/stats/3', '{}', {}, { ...app, secret: 'wrong' })).toMatchObject(refused);
    expect(await post('/stats/4', '{}')).toMatchObject({ status: 401 });
  });

  it('is refused from pages of other machines if its app is for this machine alone', async () => {
    const post = await start(repository, { localOnly: ['3'] });
    expect(await post('/stats/3', '{}', { origin: 'https://shop.example' })).toMatchObject({ status: 403 });
    expect(await post('/stats/3', '{}')).toMatchObject({ status: 201 });
  });
});

it('a route for text has only the parameters of the query', async () => {
  const post = await start(inMemory);
  expect(await post('/text', '[1]')).toEqual({ status: 201, body: { a: '1' } });
  expect(await post('/stats/3', '[1]')).toMatchObject({ status: 400 });
});

it('a route without the guard has no app', async () => {
  const post = await start(inMemory);
  expect(await post('/unguarded', '{}')).toMatchObject({ status: 500 });
});
