import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { describe } from 'vitest';
import { describeWith } from './services.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A `describe` for tests that need Chromium. */
export const describeChromium: typeof describe | typeof describe.skip = describeWith(
  `Chromium (${executablePath})`,
  () => existsSync(executablePath),
);

/**
 * The toolbar of each window would load two pages for the list below its address bar. No test sees them, and they take
 * more of the processor than most pages that are tested.
 */
const omniboxPopups = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** Chromium obeys only the last `--disable-features`, so this one repeats what Playwright's has. */
const disabledByPlaywright = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const options = {
  executablePath,
  headless: true,
  args: [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${[...disabledByPlaywright, ...omniboxPopups].join()}`,
  ],
};

/** Starts a headless Chromium in which each page is a visitor of its own. */
export const launchChromium = (): Promise<Browser> => chromium.launch(options);

/** Starts a headless Chromium with an empty profile in which `origin` may show notifications. */
export async function startChromium(origin: string): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'rookery-chromium-'));
  mkdirSync(join(profile, 'Default'));
  const notifications = { [`${origin},*`]: { setting: 1 } };
  const preferences = { profile: { content_settings: { exceptions: { notifications } } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, options);
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
