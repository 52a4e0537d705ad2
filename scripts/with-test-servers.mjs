// Runs a command with throwaway servers: node scripts/with-test-servers.mjs <command> [arguments …]
// The command finds them in TEST_DATABASE_URL, TEST_NATS_URL and TEST_NATS_PASSWORD. Its exit code is ours.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { PlainError, runCommand } from './plain-error.mjs';
import { startThrowawayServers } from './servers/throwaway.mjs';
import { buildPackages } from './setup/build.mjs';

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} exit code, 128 + signal when it was killed
 */
function runInForeground(command, args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
    // Ctrl-C reaches the command by itself (same process group); we wait for it to end and then stop the servers.
    const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    const wait = () => undefined;
    process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', wait);
    child.once('error', (error) => reject(new PlainError(`${command} cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

await runCommand(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (!command)
    throw new PlainError('Give the command to run: node scripts/with-test-servers.mjs <command> [arguments]');
  // The configuration of NATS is derived from these.
  await buildPackages(['@crm/contracts', '@crm/access', '@crm/database', '@crm/messaging']);
  const servers = await startThrowawayServers();
  try {
    return await runInForeground(command, args, servers.environment);
  } finally {
    await servers.stop();
  }
});
