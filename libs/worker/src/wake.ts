/**
 * Waiting that a signal cuts short. A signal that comes while nobody waits ends the next wait at once, so none is lost
 * between a look and the wait after it. One waits at a time.
 *
 * A service that signals from elsewhere than the worker makes a provider of it: `@Injectable() class RunSignal extends
 * Wake {}`.
 */
export class Wake {
  private signalled = false;
  private end: (() => void) | undefined;

  signal(): void {
    this.signalled = true;
    this.end?.();
  }

  /** Resolves after so many milliseconds or at the signal, whichever is first. */
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
