import type { Platform } from '../api/contract.js';

export const platforms: readonly Platform[] = ['apns', 'fcm', 'web'];

export const platformNames: Readonly<Record<Platform, string>> = { apns: 'Apple', fcm: 'Android', web: 'Web' };
