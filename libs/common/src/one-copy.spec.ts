import { expect, it, vi } from 'vitest';
import { warnOfOtherCopy } from './one-copy.js';

it('warns of a second copy, and names both, but not of the same one', () => {
  vi.stubGlobal(Symbol.for('rookery.folder'), undefined);
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  warnOfOtherCopy('/app/node_modules/rookery');
  warnOfOtherCopy('/app/node_modules/rookery');
  expect(warn).not.toHaveBeenCalled();
  const other = '/app/node_modules/@rookery/console/node_modules/rookery';
  warnOfOtherCopy(other);
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining(`Two copies of rookery are loaded, /app/node_modules/rookery and ${other}.`),
  );
  warn.mockRestore();
  vi.unstubAllGlobals();
});
