// npm start: brings the whole platform up and keeps it running until Ctrl-C. `npm start -- --help` lists the options.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { PlainError, runCommand } from './plain-error.mjs';
import { readyTable } from './platform/addresses.mjs';
import { requireCurrentLayout } from './platform/data-layout.mjs';
import { rotateLog } from './platform/log-files.mjs';
import { readStartOptions } from './platform/options.mjs';
import { runPlatform } from './platform/run-platform.mjs';
import { isRunning, readRunState, removeRunState } from './platform/run-state.mjs';

/** The exit codes that a shell gives to a program ended by a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** @param {import('./platform/addresses.mjs').Addresses} addresses
 * @param {{ json: boolean, supervisor: number, note?: string }} options
 * @returns {string} what is printed when the platform answers */
function readyText(addresses, { json, supervisor, note }) {
  if (json) return `${JSON.stringify({ ready: true, supervisor, ...addresses })}\n`;
  return `${readyTable(addresses)}\n${note ? `${note}\n` : ''}ready\n`;
}

/** @param {import('./platform/options.mjs').StartOptions} options @returns {Promise<number | void>} */
async function startHere(options) {
  // Under a detached start the command that waits for us is told everything through the channel.
  const send = process.send?.bind(process);
  const progress = new Writable({
    write(chunk, _encoding, done) {
      const text = chunk.toString();
      (options.json ? process.stderr : process.stdout).write(text);
      if (process.connected) send?.({ text });
      done();
    },
  });
  const tell = (/** @type {string} */ message) => void process.stderr.write(`${new Date().toISOString()} ${message}\n`);

  const cancel = new AbortController();
  let isUp = false;
  /** @type {keyof typeof EXIT_CODES | undefined} */
  let asked;
  const onSignal = (/** @type {keyof typeof EXIT_CODES} */ signal) => {
    // The guard ends what we leave behind.
    if (asked) process.exit(EXIT_CODES[signal]);
    asked = signal;
    process.stderr.write(
      `\n${signal}: stopping services, then NATS and PostgreSQL (once more to leave that to the guard)\n`,
    );
    cancel.abort(new PlainError('The start was given up; everything is stopped.'));
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, onSignal);
  const onDisconnect = () => {
    if (!isUp || options.throwaway) onSignal('SIGHUP');
  };
  process.once('disconnect', onDisconnect);

  const { supervisor, addresses } = await runPlatform(options, process.env, { progress, tell }, cancel.signal);
  isUp = true;
  const ready = readyText(addresses, { json: options.json, supervisor: process.pid });
  process.stdout.write(ready);
  send?.({ ready });

  try {
    if (!asked) await Promise.race([once(cancel.signal, 'abort'), supervisor.failed]);
    await supervisor.stop();
    process.stderr.write('stopped\n');
    // Ctrl-C and npm run stop are the normal ends of a platform.
    return asked === 'SIGHUP' ? EXIT_CODES.SIGHUP : 0;
  } catch (error) {
    await supervisor.stop();
    throw new PlainError(`${error instanceof Error ? error.message : String(error)}\nThe whole platform was stopped.`, {
      cause: error,
    });
  } finally {
    process.off('disconnect', onDisconnect);
    await removeRunState(options.dataDir);
  }
}

/** Starts the platform in a process that outlives this one, and resolves when it is ready or has failed.
 * @param {import('./platform/options.mjs').StartOptions} options @param {readonly string[]} args
 * @returns {Promise<number>} exit code */
async function startDetached({ dataDir, json }, args) {
  const logFile = path.join(dataDir, 'logs', 'supervisor.log');
  await mkdir(path.dirname(logFile), { recursive: true });
  await rotateLog(logFile);
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [import.meta.filename, ...args.filter((argument) => argument !== '--detach')], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await log.close();
  return new Promise((resolve) => {
    child.on('message', (/** @type {import('./platform/run-state.mjs').Message} */ { text, ready, failed }) => {
      if (text) (json ? process.stderr : process.stdout).write(text);
      if (failed) process.stderr.write(failed);
      if (ready) {
        process.stdout.write(ready);
        child.disconnect();
        child.unref();
        resolve(0);
      }
    });
    child.once('error', (error) => {
      process.stderr.write(`The detached start could not be begun: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code || 1));
  });
}

await runCommand(async () => {
  const args = process.argv.slice(2);
  const options = readStartOptions(args, process.env);
  if ('help' in options) {
    process.stdout.write(`${options.help}\n`);
    return 0;
  }
  const state = await readRunState(options.dataDir);
  if (state && (await isRunning(state))) {
    if (!state.ready)
      throw new PlainError(`A start is under way (process ${state.supervisor}). npm run status shows it.`);
    const note = `It runs already, since ${state.startedAt} (process ${state.supervisor}); npm run stop ends it.`;
    process.stdout.write(readyText(state.addresses, { json: options.json, supervisor: state.supervisor, note }));
    return 0;
  }
  await requireCurrentLayout(options.dataDir);
  if (options.detach) return startDetached(options, args);
  try {
    return await startHere(options);
  } catch (error) {
    if (process.connected && error instanceof Error) {
      // The waiting command prints it; our own copy goes to the log.
      process.send?.({ failed: `\n${error instanceof PlainError ? error.message : error.stack}\n` });
    }
    throw error;
  } finally {
    if (options.throwaway) await rm(options.dataDir, { recursive: true, force: true });
    if (process.connected) process.disconnect();
  }
});
