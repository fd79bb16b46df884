import { Global, Module } from '@nestjs/common';
import { DocumentStore } from './document.store.js';
import { JsonLinesStore } from './json-lines.store.js';
import { LiveStore } from './live.store.js';

/** The application's database, which its own modules and Rookery's ports share. */
@Global()
@Module({
  providers: [
    {
      provide: DocumentStore,
      useFactory: () => JsonLinesStore.open(`${process.env['DATA'] ?? 'data/custom-storage'}/documents.jsonl`),
    },
    LiveStore,
  ],
  exports: [DocumentStore, LiveStore],
})
export class StoreModule {}
