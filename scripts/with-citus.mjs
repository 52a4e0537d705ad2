// Runs a command with a Citus cluster of its own: node scripts/with-citus.mjs <command> [arguments …]
// The command finds the coordinator in CITUS_URL. Its exit code is ours. Packages must be installed.
import { PlainError, runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { startCitus } from './servers/citus.mjs';
import { placeForTests } from './testing/memory-folder.mjs';

await runCommand(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (!command) throw new PlainError('Give the command to run: node scripts/with-citus.mjs <command> [arguments]');
  const citus = await startCitus(process.env.TMPDIR ?? (await placeForTests()));
  try {
    return await runInForeground(command, args, { env: { ...process.env, CITUS_URL: citus.url } });
  } finally {
    await citus.stop();
  }
});
