import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults } from './accessibility.js';

declare const getComputedStyle: (element: unknown, pseudo: string) => { readonly content: string };

/**
 * What is wrong with a page as it is shown, a line for each fault: for screen readers and in contrast, light and dark, at
 * the width of a phone, in what it loads, and without an icon.
 */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  const size = page.viewportSize()!;
  const faults: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await accessibilityFaults(page, colorScheme === 'light' ? 'all' : 'colors')));
  }
  await page.setViewportSize({ ...size, width: 390 });
  faults.push(...(await page.evaluate<string[]>(inBrowser)));
  await page.setViewportSize(size);
  return faults;
}

const inBrowser = `[
  ...performance.getEntriesByType('resource')
    .filter(({ responseStatus }) => responseStatus >= 400)
    .map(({ name, responseStatus }) => name + ' is answered ' + responseStatus),
  document.querySelector('link[rel=icon]') ? [] : 'there is no icon',
  document.documentElement.scrollWidth > 390 ? 'it is ' + document.documentElement.scrollWidth + ' px wide on a phone' : [],
].flat()`;

/** What an empty list says in its place, with quotation marks; `none` where it has items. */
export const hintOf = (list: Locator): Promise<string> =>
  list.evaluate((element) => getComputedStyle(element, '::after').content);
