// npm run check: the quick inner loop. Format, types, import rules, and the unit tests of what has changed since the
// last commit. Needs no servers.
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { installPackages } from './setup/packages.mjs';
import { runChecks } from './testing/checks.mjs';
import { runJest } from './testing/jest.mjs';
import { Tally } from './testing/tally.mjs';

await runCommand(async () => {
  await installPackages();
  const tally = new Tally();
  await runChecks(tally, (_name, ...program) => runInForeground(...program));
  const begun = performance.now();
  const counts = await runJest([
    '--onlyChanged',
    '--passWithNoTests',
    // Not --testPathPatterns: with a pattern, Jest ignores --onlyChanged and runs every test that matches.
    '--testMatch=**/src/**/*.spec.ts',
    '--testMatch=**/scripts/**/*.spec.mjs',
  ]);
  tally.add('unit tests of what changed', counts, begun);
  process.stdout.write(tally.report());
  return tally.failed === 0 ? 0 : 1;
});
