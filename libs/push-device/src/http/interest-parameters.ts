import { Injectable, type PipeTransform } from '@nestjs/common';
import { isInterest } from '../interest.js';
import { refusals } from '../push-device.errors.js';

/** Refuses an invalid interest name. */
@Injectable()
export class InterestPipe implements PipeTransform {
  transform(name: unknown): string {
    if (!isInterest(name)) throw refusals.invalidInterest();
    return name;
  }
}
