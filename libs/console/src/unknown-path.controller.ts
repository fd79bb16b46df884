import { All, UseGuards } from '@nestjs/common';
import { RookeryController } from '#http';
import { ConsoleGuard } from './access/console.guard.js';
import { notFound } from './console.errors.js';

/** Answers unknown API paths, for signed-in viewers. */
@RookeryController('console/api')
@UseGuards(ConsoleGuard)
export class UnknownPathController {
  @All('*tail')
  unknown(): never {
    throw notFound('The path');
  }
}
