import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';

/** A folder of its own for each test, removed after it.
 * @returns {(...segments: string[]) => string} the path of what is in it */
export function temporaryFolder() {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return (...segments) => path.join(folder, ...segments);
}
