import type { Page } from 'playwright-core';

/** Hands a push to the page's service worker, as the browser does when its vendor sends one. */
export async function deliver(page: Page, data: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (registration) resolve(registration.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  const { origin } = new URL(page.url());
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await found, data });
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
