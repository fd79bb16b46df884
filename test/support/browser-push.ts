import type { Page } from 'playwright-core';
import { until } from './until.js';

declare const self: any;

/**
 * Hands a push to the page's service worker, as the browser does when its vendor sends one, and waits until the worker
 * has shown it. Only then may notifications be listed: Chromium deletes one that is listed while it is being shown.
 */
export async function deliver(page: Page, data: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (registration) resolve(registration.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  const [worker] = page.context().serviceWorkers();
  await worker!.evaluate(() => {
    self.hasShown = false;
    self.registration.showNotification = async (title: string, options: unknown) => {
      await self.ServiceWorkerRegistration.prototype.showNotification.call(self.registration, title, options);
      self.hasShown = true;
    };
  });
  const { origin } = new URL(page.url());
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await found, data });
  await until(() => worker!.evaluate(() => self.hasShown as boolean), 'the browser shows it');
}

/** Runs in the page before its scripts: subscribing answers the stand-in's subscription, kept as a browser would. */
export function subscribeAtStandIn(json: string): void {
  const { PushManager, localStorage } = globalThis as any;
  if (!PushManager || !localStorage) return;
  const subscription = {
    toJSON: () => JSON.parse(json),
    unsubscribe: async () => {
      localStorage.removeItem('subscribed');
      return true;
    },
  };
  PushManager.prototype.subscribe = async () => {
    localStorage.setItem('subscribed', 'yes');
    return subscription;
  };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem('subscribed') ? subscription : null);
}
