/** The app of a tenant who wishes the others no good, and has its secret. */
export const hostileApp = { id: '666', key: 'a-hostile-key', secret: 'a-hostile-secret' };
