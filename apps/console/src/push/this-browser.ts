import { pathOf } from '../api/ask.js';

/** The interest that a registered browser gets. */
export const firstInterest = 'hello';

/** Whether this browser can be registered: it needs https, or localhost. */
export const canRegister = (): boolean =>
  isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/**
 * Registers this browser as a device of the instance, as the SDK would, with a service worker for the instance alone.
 *
 * @returns the id of the device
 * @throws Error with a text for people
 */
export async function registerThisBrowser(instance: string): Promise<string> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser does not allow notifications from this page. Allow them beside its address.');
  const api = `/device_api/v1/${pathOf('instances', instance)}`;
  const { vapidPublicKey } = await answerOf<{ vapidPublicKey: string }>(`${api}/web-vapid-public-key`);
  const scope = `/console/${pathOf('instances', instance)}/`;
  const registration = await navigator.serviceWorker.register('/console/push-worker.js', { scope });
  await activated(registration);
  // One for another key could not be sent to.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: vapidPublicKey,
  });
  const token = btoa(JSON.stringify(subscription));
  const { id } = await answerOf<{ id: string }>(`${api}/devices/web`, { method: 'POST', body: { token } });
  await answerOf(`${api}/devices/web/${pathOf(id)}/interests/${firstInterest}`, { method: 'POST' });
  return id;
}

/** `navigator.serviceWorker.ready` waits for the address at which the page was opened, which may be another. */
function activated({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = active ?? waiting ?? installing;
  return new Promise((resolve) => {
    const check = (): void => void (worker?.state === 'activated' && resolve());
    worker?.addEventListener('statechange', check);
    check();
  });
}

async function answerOf<T>(path: string, given: { method?: string; body?: unknown } = {}): Promise<T> {
  const { method = 'GET', body } = given;
  const answer = await fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The device API answered ${answer.status}: ${text.slice(0, 200)}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
