/** The app of the target `bodies`. */
export const app = { id: '3', key: 'key', secret: 'secret', webhooks: [{ url: 'http://127.0.0.1:9/' }] };

/** Settings that the console edits; those of the options it cannot. */
export const editable = {
  apps: { id: 'edited', key: 'edited-key', secret: 'edited-secret' },
  instances: { id: '1b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'edited-secret' },
};

/** The console's. */
export const password = 'password';
