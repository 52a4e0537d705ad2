import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeCircle, findCircles } from './folder-circles.mjs';

/** Lead and task import each other by different files; everything else is in order. */
const FILES = {
  'apps/one/src/lead/lead.service.ts': "import { task } from '../task/task.js';\nexport const lead = task;\n",
  'apps/one/src/lead/lead.ts': 'export type Lead = 1;\n',
  'apps/one/src/task/task.ts': 'export const task = 1;\n',
  'apps/one/src/task/task.owner.ts': "import type { Lead } from '../lead/lead.js';\nexport type Owner = Lead;\n",
  'apps/one/src/task/task.spec.ts': "import { deal } from '../deal/deal.js';\nexport const d = deal;\n",
  'apps/one/src/deal/deal.ts': "import { task } from '../task/task.js';\nexport const deal = task;\n",
  'apps/one/src/main.ts': "import { deal } from './deal/deal.js';\nexport const main = deal;\n",
  'apps/one/src/config.ts': 'export const config = 1;\n',
  'apps/one/src/deal/price.ts': "import { config } from '../config.js';\nexport const price = config;\n",
};

describe('circles between folders', () => {
  let root = '';
  /** @type {import('./folder-circles.mjs').Circle[]} */
  let circles = [];
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'folder-circles-'));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    circles = await findCircles(root, ['apps']);
  }, 60_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('are found once, with the imports that close them', () => {
    expect(circles).toHaveLength(1);
    expect(circles[0]?.folders.toSorted()).toEqual(['apps/one/src/lead', 'apps/one/src/task']);
    expect(circles[0]?.imports.toSorted()).toEqual([
      'apps/one/src/lead/lead.service.ts → apps/one/src/task/task.ts',
      'apps/one/src/task/task.owner.ts → apps/one/src/lead/lead.ts',
    ]);
  });

  it('are shown as a way back to where it began', () => {
    const [circle] = circles;
    expect(circle && describeCircle(circle).split('\n')[0]).toMatch(/^(\S+) → \S+ → \1$/);
  });
});
