import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules whose outcome depends on colors: the others need no second look at a page in another theme. */
const rulesOfColors = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds wrong with a page as it is shown, a line for each fault and element.
 * @param rules only the rules that depend on colors; default: all
 */
export async function accessibilityFaults(page: Page, rules: 'all' | 'colors' = 'all'): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules === 'colors' && { runOnly: rulesOfColors }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`,
    ),
  );
}
