/**
 * A wait that a signal ends early. A signal that arrives while nothing waits ends the next wait at once, so none is lost
 * between a claim and the wait after it. Only one caller can wait at a time.
 *
 * A service that signals from outside the worker provides a subclass: `@Injectable() class RunSignal extends
 * Wake {}`.
 */
export class Wake {
  private signalled = false;
  private end: (() => void) | undefined;

  signal(): void {
    this.signalled = true;
    this.end?.();
  }

  /** Resolves after the given milliseconds or at a signal, whichever comes first. */
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
