import { Injectable } from '@nestjs/common';

/** Tells this process's worker that a run was stored; a poll stands behind it, so a lost signal only delays. */
@Injectable()
export class RunSignal {
  private listener?: () => void;

  onSignal(listener: () => void): void {
    this.listener = listener;
  }

  notify(): void {
    this.listener?.();
  }
}
