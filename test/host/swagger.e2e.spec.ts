import { Controller, Get, type INestApplication, Param } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, it } from 'vitest';
import { withRookeryRoutes } from 'rookery/channels';
import { createHost, everyModule, type Platform } from '../support/embedding-host.js';

@Controller('hello')
class HelloController {
  @Get(':name')
  hello(@Param('name') name: string): string {
    return name;
  }
}

const apps: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

async function host(platform: Platform, hosting = {}) {
  const { app } = await createHost({ platform, imports: everyModule(hosting), controllers: [HelloController] });
  apps.push(app);
  app.setGlobalPrefix('api');
  return app;
}

const documented = (app: INestApplication): OpenAPIObject =>
  SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Host').build());

describe.each(['Fastify', 'Express'] as const)('the Swagger document of an application on %s', (platform) => {
  it('omits Rookery, before the application starts and after', async () => {
    const app = await host(platform);
    expect(Object.keys(documented(app).paths)).toEqual(['/api/hello/{name}']);
    await app.init();
    expect(Object.keys(documented(app).paths)).toEqual(['/api/hello/{name}']);
  });

  it('includes Rookery if the application asks for it', async () => {
    const app = await host(platform);
    const document = withRookeryRoutes(documented(app), app);
    expect(document.info.title).toBe('Host');
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(
      expect.arrayContaining(['auth_signature', 'secretKey', 'userToken']),
    );
    expect(Object.keys(document.paths)).toHaveLength(40);
    expect(document.paths).toMatchObject({
      '/api/hello/{name}': { get: {} },
      '/apps/{appId}/events': { post: { responses: { 200: {} } } },
      '/apps/{appId}/channels/{channelName}': {
        get: {
          tags: ['Channels'],
          parameters: [{ name: 'appId', in: 'path' }, { name: 'channelName' }, { name: 'info' }],
        },
      },
      '/apps/{appId}/channels/{channelName}/users': { get: { security: [{ auth_key: [], auth_signature: [] }] } },
      '/device_api/v1/instances/{instanceId}/devices/{platform}/{deviceId}': { get: {}, delete: {} },
      '/publish_api/v1/instances/{instanceId}/publishes/interests': { post: {} },
      '/customer_api/v1/instances/{instanceId}/interests/{interest}/channel': { put: {}, delete: {} },
    });
  });

  it.each(['3.0.0', '3.1.0'])('is valid in OpenAPI %s', async (version) => {
    const app = await host(platform);
    const config = new DocumentBuilder().setTitle('Host').setOpenAPIVersion(version).build();
    const document = withRookeryRoutes(SwaggerModule.createDocument(app, config), app);
    expect((await new Validator().validate({ ...document })).errors).toBeUndefined();
    // Swagger's own default is 3.0, which knows no other.
    expect(JSON.stringify(document).includes('"null"')).toBe(version !== '3.0.0');
  });

  it('shows the routes below the global prefix if they are served there', async () => {
    const app = await host(platform, { useGlobalPrefix: true });
    expect(withRookeryRoutes(documented(app), app).paths).toHaveProperty(['/api/apps/{appId}/events', 'post']);
  });
});
