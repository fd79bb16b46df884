import { Injectable } from '@nestjs/common';
import { MemoryStore } from './memory.store.js';

/** Documents about the current state: counts of the last second, connections. A restart ends that state. */
@Injectable()
export class LiveStore extends MemoryStore {}
