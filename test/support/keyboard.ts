import type { Page } from 'playwright-core';

/** The controls of a page that a keyboard does not reach, or whose focus cannot be seen; a line for each. */
export async function keyboardFaults(page: Page): Promise<readonly string[]> {
  let count = (await page.evaluate(controls)) as number;
  // It begins anywhere, and after the last control it leaves the page for a while. Controls may still be added.
  for (let press = 0; press < 2 * count + 20; press++) {
    await page.keyboard.press('Tab');
    const seen = (await page.evaluate(visit)) as { readonly isAll: boolean; readonly count: number };
    if (seen.isAll) break;
    count = Math.max(count, seen.count);
  }
  return (await page.evaluate(faults)) as readonly string[];
}

/** Presses Tab until a control has the focus whose name matches. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 150; press++) {
    await page.keyboard.press('Tab');
    if (name.test(String(await page.evaluate(focused)).trim())) return;
  }
  throw new Error(`Tab does not lead to ${String(name)}`);
}

const named = `(element) => element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent`;
const focused = `(${named})(document.activeElement)`;

/** Starts at the top, and counts what can be focused. */
const controls = `
  document.activeElement.blur();
  window.reachable = Array.from(
    (document.querySelector('dialog[open]') ?? document).querySelectorAll(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    ),
  ).filter((element) => !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true }));
  window.visited = new Map();
  window.reachable.length;
`;

const visit = `
  {
    const element = document.activeElement;
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    if (element !== document.body) window.visited.set(element, outlineStyle !== 'none' || boxShadow !== 'none');
    ({
      isAll: window.reachable.every((each) => window.visited.has(each)),
      count: document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]').length,
    });
  }
`;

const faults = `
  {
    const name = (element) => element.outerHTML.slice(0, 90);
    const groups = new Set([...window.visited.keys()].filter(({ type }) => type === 'radio').map((radio) => radio.name));
    const isReached = (element) =>
      window.visited.has(element) || (element.type === 'radio' && groups.has(element.name)) || !element.isConnected;
    const pressable = 'a[href], button, input, select, textarea, summary, label, option, [tabindex="0"]';
    const mouse = Array.from(document.querySelectorAll('body *')).filter(
      (element) => getComputedStyle(element).cursor === 'pointer' && element.checkVisibility() && !element.closest(pressable),
    );
    [
      ...window.reachable.filter((element) => !isReached(element)).map((element) => 'not reached: ' + name(element)),
      ...mouse.map((element) => 'only by mouse: ' + name(element)),
      ...[...window.visited].filter(([, isSeen]) => !isSeen).map(([element]) => 'focus not seen: ' + name(element)),
    ];
  }
`;
