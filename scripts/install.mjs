// Installs the packages of the lockfile when they are missing or outdated. npm commands whose programs import packages begin with
// it, so that they work in a fresh clone too. Says nothing on standard output, which belongs to the command after it.
import { runCommand } from './plain-error.mjs';
import { installPackages } from './setup/packages.mjs';

await runCommand(async () => {
  if ((await installPackages()) === 'installed') process.stderr.write('Packages installed\n');
});
