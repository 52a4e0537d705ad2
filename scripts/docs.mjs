// Writes what is made from code, pages of docs/ and the configuration of NATS: npm run docs
// The tests that compare these files write them when WRITE_DOCS is set; without it a file that is behind fails npm test.
import { runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';

const WRITERS = [
  'apps/webhook-dispatcher/test/events-page.spec.ts',
  'libs/formula/test/reference.spec.ts',
  'libs/manifest/test/certification-pages.spec.ts',
  'libs/messaging/src/server/permissions.spec.ts',
  'scripts/observability/metrics.spec.mjs',
  'scripts/kubernetes/generated.spec.mjs',
  'scripts/supply-chain/licences-page.spec.mjs',
  'scripts/security/asvs.spec.mjs',
];

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
