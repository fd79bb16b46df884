import { All } from '@nestjs/common';
import { ConsoleController } from './access/console.guard.js';
import { notFound } from './console.errors.js';

/** Answers unknown API paths, for signed-in viewers. */
@ConsoleController('')
export class UnknownPathController {
  @All('*tail')
  unknown(): never {
    throw notFound('The path');
  }
}
