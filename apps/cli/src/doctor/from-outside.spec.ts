import { expect, it } from 'vitest';
import { startChannels, testApp } from '../../../../test/support/channels-server.js';
import { outsideFindings } from './from-outside.js';

it('finds no fault behind a proxy that forwards only the path of the settings', async () => {
  const server = await startChannels({ apps: [testApp], path: '/ws' }, (app) => {
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', async ({ url }, reply) =>
        url.startsWith('/ws/') ? undefined : reply.code(404).send('the site'),
      );
  });
  const { id: appId, key, secret } = testApp;
  const findings = outsideFindings({ url: `http://127.0.0.1:${server.port}`, appId, key, secret, socketPath: '/ws' });
  for await (const finding of findings) expect(finding).toMatchObject({ state: 'ok' });
  // fetch keeps a connection on which it sends nothing.
  server.app.getHttpServer().closeAllConnections();
  await server.close();
});
