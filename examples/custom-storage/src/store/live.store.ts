import { Injectable } from '@nestjs/common';
import { MemoryStore } from './memory.store.js';

/** Documents about what is going on: counts of the last second, connections. A restart ends what they tell of. */
@Injectable()
export class LiveStore extends MemoryStore {}
