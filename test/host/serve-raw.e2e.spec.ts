import {
  All,
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  StreamableFile,
  type NestModule,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { INestApplication } from '@nestjs/common';
import { createConnection } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawExchange } from '../support/raw-http.js';
import {
  ApiError,
  jsonRefusal,
  PathPrefixes,
  RouteRegistrar,
  PathTail,
  RawBody,
  RookeryController,
  RouteNotFound,
} from '#http';

const limit = 1000;

@RookeryController('ours')
class OurController {
  @Post('echo')
  @HttpCode(200)
  echo(@RawBody() body: Buffer) {
    return { bytes: body.toString('latin1') };
  }

  @Get('items/:id/*tail')
  tail(@Param('id') id: string, @PathTail() tail: string) {
    return { id, tail };
  }

  @Get('file')
  file() {
    return new StreamableFile(Buffer.from('a picture'), { type: 'image/png' });
  }

  @Get('refused')
  refused() {
    throw new ApiError('too_many_requests', 429, 'Rate Limited', 'Too many requests', { 'Retry-After': '1' });
  }

  @Get('broken')
  broken() {
    throw new TypeError('secret detail');
  }

  @All('*path')
  unknown() {
    throw new RouteNotFound();
  }
}

@Controller()
class HostController {
  @Post('host')
  host(@Body() body: unknown) {
    return { parsed: body };
  }
}

const ours = [
  PathPrefixes.of('hosting'),
  RouteRegistrar.of({ module: 'OurModule', controllers: [OurController], refuse: jsonRefusal }, 'hosting'),
];

@Module({ providers: [{ provide: 'hosting', useValue: { useGlobalPrefix: true } }, ...ours, OurController] })
class OurModule implements NestModule {
  constructor(private readonly routes: RouteRegistrar) {}

  configure() {
    this.routes.readBodies({ prefix: '/ours', bodyLimit: limit, cors: true });
  }
}

@Module({ imports: [OurModule], controllers: [HostController] })
class HostModule {}

describe.each([
  ['Fastify', () => new FastifyAdapter()],
  ['Express', () => new ExpressAdapter()],
])('on %s', (_, adapter) => {
  let app: INestApplication;
  let url: string;
  let port: number;

  beforeAll(async () => {
    app = await NestFactory.create(HostModule, adapter(), { logger: false, abortOnError: false });
    app.enableCors({ origin: 'https://host.example', credentials: true });
    app.setGlobalPrefix('v9');
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
    url = `http://127.0.0.1:${port}/v9`;
  });
  afterAll(() => app.close());

  const echo = (body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/ours/echo`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

  it.each([
    ['JSON', 'application/json', '{"a": 1 }'],
    ['malformed JSON', 'application/json', '{"a'],
    ['JSON that would pollute prototypes', 'application/json', '{"__proto__":{}}'],
    ['an unknown type', 'application/x-unknown', 'x'],
    ['a type that is none', '; ;', 'x'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&a=2'],
    ['an unknown charset', 'application/json; charset=klingon', '{}'],
    ['our private type', 'application/x-rookery-raw', 'x'],
  ])('passes on %s unchanged', async (_, contentType, body) => {
    const response = await echo(body, { 'content-type': contentType });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ bytes: body });
  });

  it('passes on the body of a request whose target is absolute', async () => {
    const request = `POST http://push.example/v9/ours/echo HTTP/1.1\r\nHost: push.example\r\nConnection: close`;
    const body = 'Content-Type: application/x-unknown\r\nContent-Length: 1\r\n\r\nx';
    expect(await rawExchange(port, [`${request}\r\n${body}`])).toMatch(/\r\n\r\n{"bytes":"x"}$/);
  });

  it('accepts a body without a content type, and a JSON content type without a body', async () => {
    expect(await (await echo(Buffer.from('bytes'))).json()).toEqual({ bytes: 'bytes' });
    expect(await (await echo(undefined, { 'content-type': 'application/json' })).json()).toEqual({ bytes: '' });
    expect(await (await echo()).json()).toEqual({ bytes: '' });
  });

  it('answers JSON with its length, and the headers of any origin instead of the host’s', async () => {
    const { status, headers, text } = await whole(await echo(Buffer.from('ü'), { origin: 'https://host.example' }));
    expect(text).toBe('{"bytes":"Ã¼"}');
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      'content-type': 'application/json; charset=utf-8',
      'content-length': '16',
      'access-control-allow-origin': '*',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    // Nothing is cached of an order.
    expect(headers).not.toHaveProperty('etag');
  });

  it('serves a file whole', async () => {
    const response = await fetch(`${url}/ours/file`);
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['image/png', 'a picture']);
  });

  it.each(['items/7/x', 'file', 'refused', 'nowhere'])(
    'answers HEAD of %s like GET, without the body',
    async (path) => {
      const [got, asked] = await Promise.all(
        ['GET', 'HEAD'].map(async (method) => whole(await fetch(`${url}/ours/${path}`, { method }))),
      );
      const said = ({ status, headers }: typeof got & object) =>
        [status, headers['content-type'], headers['content-length'], headers['access-control-allow-origin']] as const;
      expect(said(asked!)).toEqual(said(got!));
      expect(asked!.text).toBe('');
    },
  );

  it('passes on the tail of a path of any length', async () => {
    const long = 'x'.repeat(164);
    const tail = async (path: string) => (await fetch(`${url}/ours/items/${path}`)).json();
    expect(await tail(`7/${long}`)).toEqual({ id: '7', tail: long });
    expect(await tail('7/a%2Cb%3B%20%C3%BC+')).toEqual({ id: '7', tail: 'a,b; ü+' });
    expect(await tail('7/a/b?c')).toEqual({ id: '7', tail: 'a/b' });
    expect((await fetch(`${url}/ours/items/${long}/x`)).status).toBeOneOf([200, 404]);
  });

  it('accepts a chunked body', async () => {
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"a":'));
        controller.enqueue(Buffer.from('1}'));
        controller.close();
      },
    });
    expect(await (await echo(chunks)).json()).toEqual({ bytes: '{"a":1}' });
  });

  it.each([limit + 1, limit * 500])('refuses a body of %i bytes, plain or chunked', async (size) => {
    const response = await echo('x'.repeat(size));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'Bad request',
      description: `Request body size is too large (max ${limit / 1024}KiB).`,
    });
    expect((await echo(new Blob(['x'.repeat(size)]).stream())).status).toBe(400);
    expect((await echo('x'.repeat(limit))).status).toBe(200);
  });

  it('does not wait for a body that announces gigabytes', async () => {
    const answer = await rawRequest(
      port,
      'POST /v9/ours/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000000\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('answers errors in its own shape', async () => {
    const refused = await fetch(`${url}/ours/refused`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await refused.text()).toBe('{"error":"Rate Limited","description":"Too many requests"}\n');
    const broken = await fetch(`${url}/ours/broken`);
    expect(broken.status).toBe(500);
    expect(await broken.json()).toEqual({ error: 'Something went wrong', description: 'Internal server error' });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('answers an unknown route as plain text: %s', async (method) => {
    const response = await fetch(`${url}/ours/nowhere/at/all`, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('404 page not found');
  });

  it('allows browsers of any origin, errors and preflights included', async () => {
    const origin = { origin: 'https://page.example' };
    const preflight = await fetch(`${url}/ours/echo`, {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    for (const path of ['echo', 'refused', 'nowhere'])
      expect((await fetch(`${url}/ours/${path}`, { headers: origin })).headers.get('access-control-allow-origin')).toBe(
        '*',
      );
  });

  it("leaves the host's routes alone", async () => {
    const response = await fetch(`${url}/host`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', origin: 'https://page.example' },
    });
    expect(await response.json()).toEqual({ parsed: { a: 1 } });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://host.example');
    const malformed = await fetch(`${url}/host`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toHaveProperty('statusCode', 400);
  });
});

it('names the path of each route to the hooks of a host on Fastify', async () => {
  const adapter = new FastifyAdapter();
  const named: unknown[] = [];
  adapter.getInstance().addHook('onResponse', (request, _, done) => {
    named.push([request.method, request.routeOptions.url]);
    done();
  });
  const app = await NestFactory.create<NestFastifyApplication>(HostModule, adapter, { logger: false });
  await app.init();
  for (const [method, path] of [
    ['POST', 'echo'],
    ['GET', 'echo'],
    ['GET', 'items/7/x'],
    ['HEAD', 'items/7/x'],
  ] as const)
    await app.inject({ method, url: `/ours/${path}` });
  await app.close();
  expect(named).toEqual([
    ['POST', '/ours/echo'],
    ['GET', '/ours/*path'],
    ['GET', '/ours/items/:id/*tail'],
    ['HEAD', '/ours/items/:id/*tail'],
  ]);
});

it('answers no HEAD on a Fastify that exposes none', async () => {
  const adapter = new FastifyAdapter({ exposeHeadRoutes: false });
  const app = await NestFactory.create<NestFastifyApplication>(HostModule, adapter, { logger: false });
  await app.init();
  const { statusCode } = await app.inject({ method: 'HEAD', url: '/ours/file' });
  await app.close();
  expect(statusCode).toBe(404);
});

const whole = async (response: Response) => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  text: await response.text(),
});

function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('latin1');
    socket
      .on('data', (chunk) => (answer += chunk))
      .on('close', () => resolve(answer))
      .on('error', reject);
  });
}
