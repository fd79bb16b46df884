import { Injectable } from '@nestjs/common';

/** Tells the worker of this process, if there is one, that a publish is due: it need not wait for its next poll. */
@Injectable()
export class DuePublishes {
  private listener: () => void = () => {};

  onDue(listener: () => void): void {
    this.listener = listener;
  }

  announce(): void {
    this.listener();
  }
}
