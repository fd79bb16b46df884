import assert from 'node:assert/strict';
import { channelsDescription } from '../../../libs/channels/src/channels.providers.js';
import { notificationsDescription } from '../../../libs/notifications/src/notifications.module.js';
import { publishDescription } from '../../../libs/publish/src/publish.module.js';
import { deviceApiDescription } from '../../../libs/push-device/src/push-device.module.js';
import { DocumentedAnswers } from '../../support/documented.js';
import { openApplication } from '../application/application.js';
import { type Answer, directly } from '../application/direct-call.js';
import { examples } from '../application/examples.js';
import { requestTo } from '../application/request.js';
import type { Route } from '../application/routes.js';
import type { Target } from '../target.js';

/** One input of so many goes through Fastify; the others are given to the same handlers. */
const wholeEvery = 200;

/** What is accepted is kept in memory, until the application starts anew. */
const inputsOfApplication = 20_000;

const documented = new DocumentedAnswers([
  channelsDescription(),
  publishDescription(),
  deviceApiDescription(),
  notificationsDescription(),
]);

/** JSON bodies of all routes, by a line with the route's number: each answer is documented, and none is a 5xx. */
export const bodies = async (): Promise<Target> => {
  let application = await openApplication();
  let inputs = 0;

  async function answerTo(route: Route, payload: Buffer): Promise<Answer> {
    const { host, userToken } = application;
    const request = requestTo(route, payload, userToken);
    // A password is only tried five times from one address.
    const ip = `10.${(inputs >> 16) & 255}.${(inputs >> 8) & 255}.${inputs & 255}`;
    if (inputs % wholeEvery > 0) return directly(route.handler, { ...request, params: route.params, ip });
    const answer = await host.inject({ ...request, method: route.method as 'POST', remoteAddress: ip });
    return { status: answer.statusCode, type: answer.headers['content-type'] as string | undefined, text: answer.body };
  }

  return {
    name: 'bodies',
    seeds: application.routes.flatMap(({ path }, route) =>
      examples.filter(([routes]) => routes.test(path)).map(([, body]) => `${route}\n${body}`),
    ),
    batch: 500,
    async run(input) {
      inputs += 1;
      if (inputs % inputsOfApplication === 0) {
        await application.host.close();
        application = await openApplication();
      }
      const { routes } = application;
      const number = Math.abs(Number.parseInt(input.toString('latin1', 0, 4), 10) || 0);
      const route = routes[number % routes.length]!;
      const { status, type, text } = await answerTo(route, input.subarray(input.indexOf('\n') + 1));
      const { method, path } = route;
      assert.ok(status < 500, `${method} ${path} answers ${status}: ${text}`);
      if (path.startsWith('/console/')) checkConsole(route, { status, type, text });
      // Without the body: fields that no rule names are accepted, and described nowhere.
      else documented.check({ method, url: path, status, type, text });
    },
    stop: () => application.host.close(),
  };
};

/** The console's API has no document: it answers JSON, or nothing, and refuses with a sentence. */
function checkConsole({ method, path }: Route, { status, type, text }: Answer): void {
  const said = `${method} ${path} answers ${status}: ${text}`;
  if (text === '') return assert.ok([200, 202, 204].includes(status), said);
  assert.match(type ?? '', /^application\/json/, said);
  const answer = JSON.parse(text) as { error?: unknown };
  if (status >= 400) assert.equal(typeof answer.error, 'string', said);
}
