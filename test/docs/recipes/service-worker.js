PusherPushNotifications.onNotificationReceived = ({ pushEvent, payload, handleNotification }) => {
  const { image, actions } = payload.data;
  const { title, body } = payload.notification;
  const shown =
    image || actions
      ? self.registration.showNotification(title, { body, image, actions, data: {} })
      : handleNotification(payload);
  pushEvent.waitUntil(shown);
};

self.addEventListener('notificationclick', (event) => {
  if (event.action === 'yes') event.waitUntil(fetch('/invitations/accept', { method: 'POST' }));
  event.notification.close();
});
