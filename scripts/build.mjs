// npm run build [-- <options of nx>]: installs what is missing, then builds every package and shows what each build prints. Only
// what has changed is built again.
import { spawn } from 'node:child_process';
import { runCommand } from './plain-error.mjs';
import { inRoot, ROOT } from './root.mjs';
import { buildEnvironment } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';

await runCommand(async () => {
  await installPackages();
  const child = spawn(
    inRoot('node_modules', '.bin', 'nx'),
    ['run-many', '--targets=build,types', '--outputStyle=stream-without-prefixes', ...process.argv.slice(2)],
    { cwd: ROOT, env: await buildEnvironment(), stdio: 'inherit' },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
});
