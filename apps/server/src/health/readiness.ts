import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Whether new work should be sent here: until shutdown begins. */
@Injectable()
export class Readiness implements OnModuleDestroy {
  isReady = true;

  onModuleDestroy(): void {
    this.isReady = false;
  }
}
