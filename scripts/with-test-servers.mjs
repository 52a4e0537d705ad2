// Runs a command with throwaway servers: node scripts/with-test-servers.mjs <command> [arguments …]
// The command finds them in TEST_DATABASE_URL, TEST_NATS_URL and TEST_NATS_PASSWORD. Its exit code is ours.
import { PlainError, runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { startThrowawayServers } from './servers/throwaway.mjs';
import { buildPackages } from './setup/packages.mjs';

await runCommand(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (!command) {
    throw new PlainError('Give the command to run: node scripts/with-test-servers.mjs <command> [arguments]');
  }
  // The configuration of NATS is derived from some of them.
  await buildPackages();
  const servers = await startThrowawayServers();
  try {
    return await runInForeground(command, args, { env: { ...process.env, ...servers.environment } });
  } finally {
    await servers.stop();
  }
});
