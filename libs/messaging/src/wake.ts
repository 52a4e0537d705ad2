/** Waiting that a signal can cut short. A signal while nobody waits ends the next wait at once. */
export class Wake {
  private signalled = false;
  private end: (() => void) | undefined;

  signal(): void {
    this.signalled = true;
    this.end?.();
  }

  /** Resolves after the time or at the signal, whichever is first. */
  async wait(ms: number): Promise<void> {
    if (!this.signalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.end = undefined;
    }
    this.signalled = false;
  }
}
