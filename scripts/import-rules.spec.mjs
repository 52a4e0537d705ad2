import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inRoot } from './root.mjs';

/** A small repository that breaks every rule once. */
const FILES = {
  'apps/one/src/main.ts': "import { two } from '../../two/src/two.js';\nexport const one = two;\n",
  'apps/two/src/two.ts': 'export const two = 2;\n',
  'apps/two/src/call.ts': "import { request } from 'node:http';\nexport const call = request;\n",
  'apps/two/src/unresolved.ts': "import { nothing } from './nothing.js';\nexport const x = nothing;\n",
  'apps/two/src/uses-test.ts': "import { x } from './two.spec.js';\nexport const y = x;\n",
  'apps/two/src/two.spec.ts': 'export const x = 1;\n',
  'apps/two/src/for-tests.ts': "import type { T } from '../../../libs/testing/src/index.js';\nexport type U = T;\n",
  'apps/two/src/deep.ts': "import { a } from '../../../libs/contracts/src/a.js';\nexport const deep = a;\n",
  'libs/contracts/src/a.ts': "import type { B } from './b.js';\nexport const a = 1 as unknown as B;\n",
  'libs/contracts/src/b.ts': "import { a } from './a.js';\nexport type B = typeof a;\n",
  'libs/contracts/src/up.ts': "import type { T } from '../../testing/src/index.js';\nexport type V = T;\n",
  'libs/contracts/src/io.ts': "import { readFileSync } from 'node:fs';\nexport const io = readFileSync;\n",
  'libs/access/src/app.ts': "import { two } from '../../../apps/two/src/two.js';\nexport const lib = two;\n",
  'libs/sdk/src/dependent.ts': "import { a } from '../../contracts/src/index.js';\nexport const sdk = a;\n",
  'libs/contracts/src/index.ts': "export { a } from './a.js';\n",
  'examples/receivers/src/one.ts': "import { a } from '../../../libs/contracts/src/index.js';\nexport const e = a;\n",
  'libs/testing/src/index.ts': 'export type T = 1;\n',
  'libs/ui/src/file.tsx': "import { readFileSync } from 'node:fs';\nexport const file = () => <p>{readFileSync}</p>;\n",
  // Lead and task import each other by different files; a test may.
  'apps/three/src/lead/lead.ts': "import { task } from '../task/task.js';\nexport const lead = task;\n",
  'apps/three/src/lead/stage.ts': 'export type Stage = 1;\n',
  'apps/three/src/task/task.ts': 'export const task = 1;\n',
  'apps/three/src/task/owner.ts': "import type { Stage } from '../lead/stage.js';\nexport type Owner = Stage;\n",
  'apps/three/src/deal/deal.ts': "import { task } from '../task/task.js';\nexport const deal = task;\n",
  'apps/three/src/task/task.spec.ts': "import { deal } from '../deal/deal.js';\nexport const d = deal;\n",
  'apps/embed-page/src/main.tsx': "import { a } from '../../../libs/contracts/src/index.js';\nexport const main = a;\n",
};

describe('the import rules', () => {
  let root = '';
  let output = '';
  let status = 0;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'import-rules-'));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    [status, output] = await new Promise((resolve) => {
      const args = [inRoot('scripts', 'import-rules.mjs'), 'apps', 'libs', 'examples'];
      execFile(process.execPath, args, { cwd: root }, (error, stdout) => resolve([Number(error?.code ?? 0), stdout]));
    });
  }, 60_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['app-imports-no-app', 'apps/one/src/main.ts → apps/two/src/two.ts'],
    ['http-goes-through-egress', 'apps/two/src/call.ts → http'],
    ['resolves', 'apps/two/src/unresolved.ts → ./nothing.js'],
    ['source-imports-no-test', 'apps/two/src/uses-test.ts → apps/two/src/two.spec.ts'],
    ['testing-is-for-tests', 'apps/two/src/for-tests.ts → libs/testing/src/index.ts'],
    ['libraries-by-their-name', 'apps/two/src/deep.ts → libs/contracts/src/a.ts'],
    ['no-circular', 'libs/contracts/src/a.ts → '],
    ['arrows-point-down-from-contracts', 'libs/contracts/src/up.ts → libs/testing/src/index.ts'],
    ['pure-libraries-do-no-io', 'libs/contracts/src/io.ts → fs'],
    ['sdk-stands-alone', 'libs/sdk/src/dependent.ts → libs/contracts/src/index.ts'],
    ['examples-use-what-developers-have', 'examples/receivers/src/one.ts → libs/contracts/src/index.ts'],
    ['browser-has-no-node', 'libs/ui/src/file.tsx → fs'],
    ['browser-loads-little', 'apps/embed-page/src/main.tsx → libs/contracts/src/index.ts'],
    ['no-circular-folders', 'apps/three/src/lead → '],
    ['lib-imports-no-app', 'libs/access/src/app.ts → apps/two/src/two.ts'],
  ])('find what breaks %s', (rule, where) => {
    expect(output).toContain(`error ${rule}: ${where}`);
  });

  it('fail the check, and let a test reach across folders', () => {
    expect(status).toBe(1);
    expect(output).not.toContain('apps/three/src/deal');
  });
});
