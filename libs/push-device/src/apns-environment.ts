/** Apple's environments: the sandbox for builds from Xcode, production for TestFlight and the App Store. */
export const apnsEnvironments = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof apnsEnvironments)[number];
