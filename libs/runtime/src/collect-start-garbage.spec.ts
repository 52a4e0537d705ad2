import { describe, expect, it } from '@jest/globals';
import { collectStartGarbage } from './collect-start-garbage.js';

describe('collectStartGarbage', () => {
  it('collects what nothing refers to, without being asked again', async () => {
    let registry: FinalizationRegistry<string> | undefined;
    const collected = new Promise<string>((resolve) => {
      registry = new FinalizationRegistry(resolve);
      registry.register({ left: 'by the start' }, 'collected');
    });
    collectStartGarbage(1);
    expect(await collected).toBe('collected');
    expect(registry).toBeDefined();
  });
});
