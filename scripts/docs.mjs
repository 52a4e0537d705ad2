// Writes what is made from code: npm run docs [-- events formulas metrics manifest certification]
// With names, these references alone, into docs/reference, which is not committed. Without, also what is: parts of pages and
// the configuration of NATS. The tests that hold them write them when WRITE_DOCS is set; without it a committed file that is
// behind fails npm test.
import { PlainError, runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';

/** @type {Readonly<Record<string, string>>} */
const REFERENCES = {
  certification: 'libs/manifest/test/check-pages.spec.ts',
  events: 'apps/webhook-dispatcher/test/events-page.spec.ts',
  formulas: 'libs/formula/test/reference.spec.ts',
  manifest: 'libs/manifest/test/manifest-page.spec.ts',
  metrics: 'scripts/observability/metrics.spec.mjs',
};

const COMMITTED = [
  'libs/fields/test/record-api-page.spec.ts',
  'libs/messaging/src/server/permissions.spec.ts',
  'scripts/kubernetes/generated.spec.mjs',
];

await runCommand(async () => {
  const names = process.argv.slice(2);
  const wanted = names.map((name) => REFERENCES[name]);
  if (wanted.includes(undefined)) throw new PlainError(`There are: ${Object.keys(REFERENCES).join(', ')}`);
  const writers = names.length > 0 ? /** @type {string[]} */ (wanted) : [...Object.values(REFERENCES), ...COMMITTED];
  const jest = inRoot('node_modules', 'jest', 'bin', 'jest.js');
  const { code, stderr } = await run(
    process.execPath,
    // The tests of the command beside one of the writers render overlays, which needs more than this command has.
    ['--experimental-vm-modules', '--no-warnings', jest, '--testNamePattern=^(?!npm run k8s)', ...writers],
    { cwd: ROOT, env: { ...process.env, WRITE_DOCS: '1' } },
  );
  if (code !== 0) process.stderr.write(stderr);
  return code === 0 ? 0 : 1;
});
