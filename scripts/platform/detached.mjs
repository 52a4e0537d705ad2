import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { rotateLog } from './log-files.mjs';

/** What the detached start sends to the command that waits for it. @typedef {{ text?: string, ready?: string, failed?: string }} Message */

/** Starts the platform in a process that outlives this one, and resolves when it is ready or has failed.
 * @param {{ dataDir: string, args: readonly string[], script: string, progress: NodeJS.WritableStream }} options
 * @returns {Promise<number>} exit code */
export async function startDetached({ dataDir, args, script, progress }) {
  const logFile = path.join(dataDir, 'logs', 'supervisor.log');
  await mkdir(path.dirname(logFile), { recursive: true });
  await rotateLog(logFile);
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [script, ...args.filter((argument) => argument !== '--detach')], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await log.close();
  return new Promise((resolve) => {
    child.on('message', (/** @type {Message} */ { text, ready, failed }) => {
      if (text) progress.write(text);
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
