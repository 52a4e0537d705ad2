import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { DEEP_ON_CITUS, ON_CITUS } from './on-citus.mjs';

// Jest takes them for patterns, and says nothing of one that no file matches.
it.each([...ON_CITUS, ...DEEP_ON_CITUS].filter((path) => path.includes('/')))(
  '%s, which also runs on a cluster, is there',
  (path) => {
    expect(existsSync(inRoot(path))).toBe(true);
  },
);
