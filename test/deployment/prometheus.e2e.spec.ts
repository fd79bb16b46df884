import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { describePrometheus, TestPrometheus } from '../support/prometheus.js';
import { instance } from '../support/push-app.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { fcmError, type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ops = (file: string): string => fileURLToPath(new URL(`../../ops/${file}`, import.meta.url));

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(readFileSync(ops('grafana/rookery.json'), 'utf8')) as { panels: readonly Panel[] };
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** As Grafana fills in what stands for the dashboard's variables. */
const filledIn = (expr: string): string => expr.replaceAll('$__rate_interval', '5s').replaceAll('"$instance"', '".*"');

describePrometheus('the alerts of ops/', () => {
  it('fire as described, and are silent otherwise', () => {
    // promtool plays made-up series to the rules, and compares what fires.
    const said = execFileSync('promtool', ['test', 'rules', ops('prometheus/alerts.test.yml')], { encoding: 'utf8' });
    expect(said).toContain('SUCCESS');
  });
});

describePrometheus('what ops/ asks Prometheus', () => {
  describeRedis('on a server with traffic', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-ops-'));
    const authorization = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
    let redis: TestRedis;
    let google: StandInFcm;
    let receiver: WebhookReceiver;
    let server: ServerProcess;
    let prometheus: TestPrometheus;
    let client: SocketClient;
    beforeAll(async () => {
      await buildServer();
      [redis, google, receiver] = await Promise.all([TestRedis.start(), standInFcm(), WebhookReceiver.start()]);
      const webhooks = [{ url: receiver.url('/channels'), events: ['channel_occupied'] }];
      const config = {
        apps: [{ ...testApp, clientEvents: true, webhooks }],
        instances: [{ ...instance, fcm: google.credentials }],
        notifications: [{ app: testApp.id, instance: instance.id }],
      };
      writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
      server = await ServerProcess.start({
        CONFIG_FILE: join(folder, 'rookery.json'),
        DATABASE_URL: `sqlite:${folder}/rookery.db`,
        REDIS_URL: redis.url,
        ALLOW_PRIVATE_NETWORK: 'true',
        METRICS_TOKEN: 'scrape-me',
      });
      prometheus = await TestPrometheus.start(new URL(server.url).host, ops('prometheus/alerts.yml'), 'scrape-me');
      client = await SocketClient.connect(server.port, testApp);
      await client.subscribe('private-news');
      google.answer('refused', fcmError(400, 'INVALID_ARGUMENT', { errorCode: 'INVALID_ARGUMENT' }));
      google.answer('gone', fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }));
      for (const token of ['kept', 'refused', 'gone']) await registered(token);
    }, 180_000);
    afterAll(async () => {
      client.close();
      await prometheus.stop();
      await server.stop();
      await receiver.close();
      await google.close();
      await redis.stop();
      rmSync(folder, { recursive: true });
    });

    async function registered(token: string): Promise<void> {
      const devices = `${server.url}/device_api/v1/instances/${instance.id}/devices/fcm`;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(devices, { method: 'POST', headers, body: JSON.stringify({ token }) });
      const { id } = (await answer.json()) as { id: string };
      const body = JSON.stringify({ interests: ['news'] });
      await fetch(`${devices}/${id}/interests`, { method: 'PUT', headers, body });
    }

    /** A little of everything. */
    async function traffic(): Promise<void> {
      const { id: appId, key, secret } = testApp;
      const pusher = new Pusher({ appId, key, secret, host: '127.0.0.1', port: String(server.port) });
      await pusher.trigger('private-news', 'e', {});
      client.send({ event: 'client-e', channel: 'private-news', data: '{}' });
      const publish = { interests: ['news'], webhookUrl: receiver.url('/push'), fcm: { data: { a: 'b' } } };
      const url = `${server.url}/publish_api/v1/instances/${instance.id}/publishes/interests`;
      await fetch(url, { method: 'POST', headers: authorization, body: JSON.stringify(publish) });
    }

    it('figures for each panel of the dashboard', async () => {
      let missing: readonly string[] = queries;
      const isMissing = async (expr: string): Promise<boolean> => {
        const values = (await prometheus.query(filledIn(expr))).map(({ value }) => Number(value[1]));
        return values.length === 0 || values.some(Number.isNaN);
      };
      const found = until(
        async () => {
          await traffic();
          const still = await Promise.all(missing.map(isMissing));
          missing = missing.filter((_, n) => still[n]);
          return missing.length === 0;
        },
        'Prometheus has figures for all',
        60_000,
      );
      // This says which have none.
      await found.catch(() => undefined);
      expect(missing).toEqual([]);
      expect(queries.length).toBeGreaterThan(30);
    }, 90_000);

    it('exactly the metrics that docs/operating.md lists', async () => {
      await traffic();
      const told = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');
      const listed = [...told.matchAll(/^- (?:`rookery_\w+`(?:, )?)+/gm)].flatMap(([names]) =>
        names.match(/rookery_\w+/g)!,
      );
      const headers = { authorization: 'Bearer scrape-me' };
      const scraped = await (await fetch(`${server.url}/metrics`, { headers })).text();
      const known = [...scraped.matchAll(/^# HELP (rookery_\w+)/gm)].map(([, name]) => name);
      expect(new Set(listed)).toEqual(new Set(known));
    });

    it('rules that Prometheus can evaluate, on existing metrics', async () => {
      const isLookedAt = async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown');
      await until(isLookedAt, 'all were looked at');
      const rules = await prometheus.rules();
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      const asked = new Set(rules.flatMap(({ query }) => query.match(/\b(rookery|nodejs)_\w+/g) ?? []));
      expect(asked.size).toBeGreaterThan(10);
      for (const metric of asked)
        await until(async () => (await prometheus.query(metric)).length > 0, `${metric} is there`);
    }, 60_000);
  });
});
