/**
 * Signals to the relay of this process that an event was committed. Several calls before the listener runs are one
 * signal. The relay also polls, so a lost signal only causes a delay.
 */
export class OutboxSignal {
  private listener: (() => void) | undefined;
  private pending = false;

  /** A process has one relay; a later listener replaces the earlier one. */
  onSignal(listener: (() => void) | undefined): void {
    this.listener = listener;
  }

  notify(): void {
    if (this.pending || !this.listener) return;
    this.pending = true;
    setImmediate(() => {
      this.pending = false;
      this.listener?.();
    });
  }
}
