import { All, UseGuards } from '@nestjs/common';
import { RookeryController } from 'rookery/common';
import { ConsoleGuard } from './access/console.guard.js';
import { notFound } from './console.errors.js';

/** What is no path of the API, for whoever is signed in. */
@RookeryController('console/api')
@UseGuards(ConsoleGuard)
export class UnknownPathController {
  @All('*tail')
  unknown(): never {
    throw notFound('The path');
  }
}
