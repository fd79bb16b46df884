import type { AppConfig } from 'rookery/channels';

/** The app that tests use unless they say otherwise. */
export const testApp = { id: '3', key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' } satisfies AppConfig;
