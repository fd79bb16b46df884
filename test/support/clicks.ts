import type { Page } from 'playwright-core';

/** Counts the clicks of a story, also over navigations within the console. */
export async function clicksOf(page: Page, story: () => Promise<void>): Promise<number> {
  await page.evaluate(`
    globalThis.clicks = 0;
    document.addEventListener('pointerdown', () => (globalThis.clicks += 1), true);
  `);
  await story();
  return page.evaluate<number>('globalThis.clicks');
}
