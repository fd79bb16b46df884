// One notification for this browser alone, by the trial instance: its secret is public, and only this machine may use it.

const instance = '11111111-1111-4111-8111-111111111111';
const devices = `/device_api/v1/instances/${instance}`;
const publishes = `/publish_api/v1/instances/${instance}/publishes`;

async function ask(path, method = 'GET', body, headers = {}) {
  const answer = await fetch(path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Whether there is a trial instance, and this browser can be sent to: it needs https, or localhost. */
export async function canPush() {
  if (!isSecureContext || !('serviceWorker' in navigator) || !('PushManager' in window)) return false;
  return (await fetch(`${devices}/web-vapid-public-key`)).ok;
}

/** Registers this browser as the SDK would. @returns the id of the device */
async function register() {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser does not allow notifications from this page. Allow them beside its address.');
  const { vapidPublicKey: applicationServerKey } = await ask(`${devices}/web-vapid-public-key`);
  // The worker of the console's devices shows notifications; in a scope of its own, it has another subscription.
  const registration = await navigator.serviceWorker.register('/console/push-worker.js', { scope: '/console/demo/' });
  await activated(registration.active ?? registration.waiting ?? registration.installing);
  const subscription =
    (await registration.pushManager.getSubscription()) ??
    (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { id } = await ask(`${devices}/devices/web`, 'POST', { token: btoa(JSON.stringify(subscription)) });
  return id;
}

function activated(worker) {
  return new Promise((resolve) => {
    const check = () => worker.state === 'activated' && resolve();
    worker.addEventListener('statechange', check);
    check();
  });
}

/** Sends a notification to this browser. @param say called with each step, in words */
export async function pushToMe(say) {
  say('Registering this browser …');
  const id = await register();
  const interest = `first-page-${id}`;
  await ask(`${devices}/devices/web/${id}/interests/${interest}`, 'POST');
  const headers = { authorization: 'Bearer instance-secret' };
  const notification = { title: 'Hello from Rookery', body: 'Sent by your own server.' };
  const { publishId } = await ask(
    `${publishes}/interests`,
    'POST',
    { interests: [interest], web: { notification } },
    headers,
  );
  for (;;) {
    const { state, platforms } = await ask(`${publishes}/${publishId}`, 'GET', undefined, headers);
    const { sent = 0, retryAt, explanations: [why] = [] } = platforms.web ?? {};
    if (sent > 0) say("Your browser's push service has it. The notification appears in a moment.");
    else say(why ? `${why.reason}: ${why.meaning} ${why.action}` : 'Sending …');
    if (sent > 0 || state === 'finished' || retryAt) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
