import { IsBoolean } from 'class-validator';
import { type Given, IsCount, IsExactText, Optional, Without } from 'rookery/internal/common';
import { HostingSettings } from 'rookery/internal/http';

/** The settings of ConsoleModule. */
export class ConsoleSettings extends Without(HostingSettings, 'useGlobalPrefix') {
  /**
   * The password of the console: at least 12 characters if `NODE_ENV` is `production`; the same in all processes of a
   * cluster. @default none: the server takes `CONSOLE_PASSWORD`; in your own application, `guards` or `development`
   * control access
   */
  @Optional()
  @IsExactText()
  readonly password?: string;
  /** Hides the data of events and pushes. @default false */
  @IsBoolean()
  readonly hidePayloads: boolean = false;
  /**
   * Memory of a process in bytes for the latest events, requests, connections, refusals and webhook attempts (Live and Why?).
   * 0: none. @default 16777216, 16 MB
   */
  @IsCount()
  readonly traceBytes: number = 16 * 1024 * 1024;
  /** Open access from this machine, without a password. Refused if `NODE_ENV` is `production`. @default false */
  @IsBoolean()
  readonly development: boolean = false;
}

/** What `ConsoleModule.forRoot` takes besides its guards and its port. */
export type ConsoleOptions = Given<ConsoleSettings>;

/** The minimum length of a password in production. */
export const minCharacters = 12;

/** @throws Error that names the line to write, if the console would be open or weakly protected */
export function checkAccess({ password, development }: ConsoleSettings, guards: number): void {
  const isProduction = process.env['NODE_ENV'] === 'production';
  if (password !== undefined && guards > 0)
    throw new Error('ConsoleModule: set either password or guards, not both: only one of them can control access');
  if (password !== undefined && isProduction && password.length < minCharacters)
    throw new Error(`ConsoleModule: password must have at least ${minCharacters} characters in production`);
  if (password !== undefined || guards > 0) return;
  if (!development)
    throw new Error(
      'ConsoleModule: there is no way to sign in. Set a password, or guards of yours: ' +
        'ConsoleModule.forRoot({ guards: [StaffGuard] }); or, for this machine alone, development: true',
    );
  if (isProduction)
    throw new Error(
      'ConsoleModule: development: true asks for no password, but NODE_ENV is production. Set a password',
    );
}
