import { constants, PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import { collectStartGarbage } from './create-service.js';

describe('collectStartGarbage', () => {
  it('collects the old generation without being asked again', async () => {
    const forced = new Promise<string>((resolve) => {
      new PerformanceObserver((list, observer) => {
        const entry = list.getEntries().find((one) => {
          const { kind, flags } = (one as unknown as { detail: { kind: number; flags: number } }).detail;
          const isMajor = kind === constants.NODE_PERFORMANCE_GC_MAJOR;
          return isMajor && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
        });
        if (!entry) return;
        observer.disconnect();
        resolve(entry.entryType);
      }).observe({ entryTypes: ['gc'] });
    });
    collectStartGarbage(1);
    expect(await forced).toBe('gc');
  });
});
