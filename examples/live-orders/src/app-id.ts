export const appId = 'bakery';
