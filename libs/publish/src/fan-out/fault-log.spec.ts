import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { FaultLog } from './fault-log.js';

const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
let log: FaultLog;
beforeEach(() => {
  error.mockClear();
  log = new FaultLog();
});

it('logs a fault once, with the ids needed to find it', () => {
  log.fault('instance', 'apns', 'pubid-1', 'InvalidProviderToken');
  log.fault('instance', 'apns', 'pubid-2', 'InvalidProviderToken');
  expect(error).toHaveBeenCalledTimes(1);
  expect(error.mock.calls[0]?.[0]).toMatch(/instance.*apns.*InvalidProviderToken.*pubid-1/);
});

it.each([
  [undefined, 'nothing can be sent on apns: '],
  ['com.example', 'nothing can be sent on apns to com.example: '],
])('names the app that is at fault: %s', (app, where) => {
  log.fault('instance', 'apns', 'pubid-1', 'TopicDisallowed', app);
  expect(error.mock.calls[0]?.[0]).toContain(where);
});

it('logs a different fault, that of another platform or instance, and a recurring one', () => {
  log.fault('instance', 'apns', 'pubid-1', 'InvalidProviderToken');
  log.fault('instance', 'apns', 'pubid-2', 'BadCertificate');
  log.fault('instance', 'fcm', 'pubid-3', 'BadCertificate');
  log.fault('other', 'apns', 'pubid-4', 'BadCertificate');
  expect(error).toHaveBeenCalledTimes(4);
  log.clearFault('instance', 'apns');
  log.fault('instance', 'apns', 'pubid-5', 'BadCertificate');
  expect(error).toHaveBeenCalledTimes(5);
});
