import { Controller, Get } from '@nestjs/common';
import { DocumentStore } from './store/document.store.js';

@Controller()
export class DocumentsController {
  constructor(private readonly store: DocumentStore) {}

  /** How many documents there are of each kind, such as `{ "devices": 3 }`. */
  @Get()
  async kinds(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { id } of await this.store.list('')) {
      const [kind = ''] = id.split('/');
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }
}
