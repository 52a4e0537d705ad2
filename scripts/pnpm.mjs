// Runs the pnpm that the lockfile was written with: node scripts/pnpm.mjs <arguments>
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { ROOT } from './root.mjs';
import { pnpmProgram, withoutNpmVariables } from './setup/pnpm.mjs';

await runCommand(async () =>
  runInForeground(await pnpmProgram(), process.argv.slice(2), { cwd: ROOT, env: withoutNpmVariables(process.env) }),
);
