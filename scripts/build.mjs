// npm run build [-- <options of nx>]: installs what is missing, then builds every package and shows what each build prints. Only
// what has changed is built again.
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { buildEnvironment, installPackages } from './setup/packages.mjs';

await runCommand(async () => {
  await installPackages();
  return runInForeground(
    inRoot('node_modules', '.bin', 'nx'),
    ['run-many', '--targets=build,types', '--outputStyle=stream-without-prefixes', ...process.argv.slice(2)],
    { cwd: ROOT, env: await buildEnvironment() },
  );
});
