// npm run check: the inner loop. Format, types, import rules, and the unit and service tests that a change since the last commit can break.
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { startThrowawayServers } from './servers/throwaway.mjs';
import { buildPackages, installPackages } from './setup/packages.mjs';
import { runChecks } from './testing/checks.mjs';
import { runJest } from './testing/jest.mjs';
import { folderForTests } from './testing/memory-folder.mjs';
import { Tally } from './testing/tally.mjs';

await runCommand(async () => {
  await installPackages();
  const tally = new Tally();
  await runChecks(tally, (_name, ...program) => runInForeground(...program));
  const begun = performance.now();
  await buildPackages();
  const servers = await startThrowawayServers(await folderForTests());
  process.env.TMPDIR = servers.folder;
  try {
    const counts = await runJest(['--onlyChanged', '--passWithNoTests', '--ci', '--maxWorkers=2'], servers.environment);
    tally.add('tests of what changed', counts, begun);
  } finally {
    await servers.stop();
  }
  process.stdout.write(tally.report());
  return tally.failed === 0 ? 0 : 1;
});
