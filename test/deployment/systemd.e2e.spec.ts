import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../support/services.js';

const analyze = (...given: string[]) => spawnSync('systemd-analyze', given, { encoding: 'utf8' });
const describeSystemd = describeWith('systemd-analyze', () => analyze('--version').status === 0);

const unit = (name: string): string => resolve(import.meta.dirname, '../../ops/systemd', name);

describeSystemd('systemd', () => {
  it('finds little of the machine exposed to the server', () => {
    const { status, stdout, stderr } = analyze('security', '--offline=yes', '--threshold=20', unit('rookery.service'));
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  it('accepts the socket unit', () => {
    expect(analyze('verify', unit('rookery.socket')).stderr).not.toContain('rookery.socket');
  });
});
