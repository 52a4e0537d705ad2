/**
 * Tells the relay of this process that an event was committed. Many calls before the listener gets to run are one
 * signal; a poll stands behind it, so a lost signal delays and loses nothing.
 */
export class OutboxSignal {
  private listener: (() => void) | undefined;
  private pending = false;

  /** There is one relay in a process; a later listener replaces the earlier one. */
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
