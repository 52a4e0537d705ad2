// Writes the pages of docs/ that are made from code: npm run docs
// The tests that compare them write them when WRITE_DOCS is set; without it a page that is behind fails npm test.
import { runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';

const WRITERS = ['libs/formula/test/reference.spec.ts', 'libs/manifest/test/certification-pages.spec.ts'];

await runCommand(async () => {
  const jest = inRoot('node_modules', 'jest', 'bin', 'jest.js');
  const { code, stderr } = await run(
    process.execPath,
    ['--experimental-vm-modules', '--no-warnings', jest, ...WRITERS],
    {
      cwd: ROOT,
      env: { ...process.env, WRITE_DOCS: '1' },
    },
  );
  if (code !== 0) process.stderr.write(stderr);
  return code === 0 ? 0 : 1;
});
