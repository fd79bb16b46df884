import { Controller, Get, Header, HttpCode } from '@nestjs/common';

/** Answers at the console's address while it is off: what to set. */
@Controller('console')
export class ConsoleOffController {
  @Get(['', '*'])
  @HttpCode(404)
  @Header('content-type', 'text/plain; charset=utf-8')
  off(): string {
    return (
      'The console is off. To turn it on, set CONSOLE_PASSWORD in the environment of the server, or console.password in ' +
      'its configuration file (in production, at least 12 characters), and restart it.\n'
    );
  }
}
