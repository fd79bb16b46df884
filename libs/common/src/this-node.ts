import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

/** This process among those that share state: a name that no process has had before. */
@Injectable()
export class ThisNode {
  readonly id: string = randomUUID();
  /** How many other processes are alive, as whoever holds this one's lease knows it. */
  others = 0;
}
