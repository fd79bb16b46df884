import { IsBoolean } from 'class-validator';
import { type Given, HostingSettings, IsText, Optional, Without } from 'rookery/common';

/** The settings of ConsoleModule. */
export class ConsoleSettings extends Without(HostingSettings, 'useGlobalPrefix') {
  /**
   * What opens the console; at least 12 characters where `NODE_ENV` is `production`. The processes of a cluster have the
   * same. @default none: `guards` say who may look, or `development` does
   */
  @Optional()
  @IsText()
  readonly password?: string;
  /** Show neither the data of events nor what devices are sent: for consoles of what is nobody's business. @default false */
  @IsBoolean()
  readonly hidePayloads: boolean = false;
  /** Open to whoever is on this machine, without a password. Not where `NODE_ENV` is `production`. @default false */
  @IsBoolean()
  readonly development: boolean = false;
}

/** What `ConsoleModule.forRoot` takes besides its guards and its port. */
export type ConsoleOptions = Given<ConsoleSettings>;

/** Injection token of the module's options. */
export const consoleOptions = Symbol('ConsoleOptions');

/** How many characters a password has in production. */
export const leastCharacters = 12;

/** @throws Error that says what to write, for a console that would be open to anybody, or nearly so */
export function checkAccess({ password, development }: ConsoleSettings, guards: number): void {
  const isProduction = process.env['NODE_ENV'] === 'production';
  if (password !== undefined && guards > 0)
    throw new Error('ConsoleModule: name either password or guards, not both: one of them says who may look');
  if (password !== undefined && isProduction && password.length < leastCharacters)
    throw new Error(`ConsoleModule: password must have at least ${leastCharacters} characters in production`);
  if (password !== undefined || guards > 0) return;
  if (!development)
    throw new Error(
      'ConsoleModule: nobody could sign in. Name a password, or a guard of yours: ' +
        'ConsoleModule.forRoot({ guards: [StaffGuard] }); or, for this machine alone, development: true',
    );
  if (isProduction)
    throw new Error(
      'ConsoleModule: development: true asks for no password, and NODE_ENV is production. Name a password',
    );
}
