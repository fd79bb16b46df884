// Shows the notifications of a browser that was registered on the page of devices, as the SDK's worker does.
self.addEventListener('push', (event) => {
  const { notification = {} } = event.data?.json() ?? {};
  const { title = 'Rookery', body = '', icon, deep_link: link } = notification;
  event.waitUntil(self.registration.showNotification(title, { body, icon, data: link }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  if (event.notification.data) event.waitUntil(self.clients.openWindow(event.notification.data));
});
