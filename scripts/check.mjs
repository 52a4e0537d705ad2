// npm run check: the quick inner loop. Format, types, import rules, and the unit tests of what has changed since the
// last commit. Needs no servers.
import { runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { runInForeground } from './processes/foreground.mjs';
import { ROOT } from './root.mjs';
import { installPackages } from './setup/install.mjs';
import { CHECKS } from './testing/checks.mjs';
import { runJest } from './testing/jest.mjs';
import { Tally } from './testing/tally.mjs';

await runCommand(async () => {
  await installPackages();
  const tally = new Tally();
  for (const { name, command, args } of CHECKS) {
    const begun = performance.now();
    const passes = (await runInForeground(command, args, { cwd: ROOT })) === 0;
    tally.add(name, { passed: passes ? 1 : 0, failed: passes ? 0 : 1 }, (performance.now() - begun) / 1000);
  }
  const begun = performance.now();
  const counts = await runJest([
    '--onlyChanged',
    '--passWithNoTests',
    // Not --testPathPatterns: with a pattern, Jest ignores --onlyChanged and runs every test that matches.
    '--testMatch=**/src/**/*.spec.ts',
    '--testMatch=**/scripts/**/*.spec.mjs',
  ]);
  tally.add('unit tests of what changed', counts, (performance.now() - begun) / 1000);
  process.stdout.write(`\n${columns(tally.rows()).join('\n')}\n\n${tally.closingLine()}\n`);
  return tally.failed === 0 ? 0 : 1;
});
