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
