/** The three push platforms, named as in paths and payloads (beams-wire §1). */
export const platforms = ['apns', 'fcm', 'web'] as const;
export type Platform = (typeof platforms)[number];

export const isPlatform = (text: unknown): text is Platform => (platforms as readonly unknown[]).includes(text);
