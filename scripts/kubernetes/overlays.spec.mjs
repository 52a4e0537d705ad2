import { describe, expect, it } from '@jest/globals';
import { ARROWS, CONTEXT } from './contracts.mjs';
import { OVERLAYS, renderOverlay } from './render.mjs';
import { manifestProblems } from './rules/index.mjs';

describe.each(OVERLAYS)('the overlay %s', (overlay) => {
  it('renders, and no rule finds anything', async () => {
    const manifests = await renderOverlay(overlay);
    expect(manifests.length).toBeGreaterThan(60);
    expect(await manifestProblems(manifests, CONTEXT, { arrows: ARROWS[overlay] })).toEqual([]);
  });
});
