import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that something is due, without waiting for its next look. */
@Injectable()
export class DeliverySignal {
  private listener: (() => void) | null = null;

  notify(): void {
    this.listener?.();
  }

  /** There is one worker in a process. */
  listen(listener: () => void): void {
    this.listener = listener;
  }
}
