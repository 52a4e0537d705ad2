import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds after which the first probes and the lazy parts of the start are over. */
const AFTER_START_MS = 5_000;

/**
 * Collects, once, what the start leaves behind: decorators' metadata, the injector's bookkeeping, parsed sources. V8 would
 * keep it until the next collection of the old generation, which a service at rest does not reach for minutes.
 */
export function collectStartGarbage(afterMs = AFTER_START_MS): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    collect();
  }, afterMs).unref();
}
