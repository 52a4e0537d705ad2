// npm run measure: what the README's table says, start times and the memory of all services at rest. Works on a clone of the last
// commit in a temporary folder, with a home folder of its own, so that nothing of this project is in a cache.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from './plain-error.mjs';
import { run, runOrFail } from './processes/run.mjs';
import { ROOT } from './root.mjs';
import { nodeVersion } from './setup/node.mjs';
import { withoutNpmVariables } from './setup/pnpm.mjs';

/** How long the services are left alone before their memory is read. */
const REST_MS = 30_000;
/** Away from a platform that may be running. */
const PORT_OFFSET = '20000';

await runCommand(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-measure-'));
  const clone = path.join(folder, 'clone');
  const home = path.join(folder, 'home');
  await mkdir(home);
  // npm puts what is installed here first; the clone begins with the user's Node.
  const ofOthers = (process.env.PATH ?? '').split(path.delimiter).filter((entry) => !entry.includes('node_modules'));
  const env = { ...withoutNpmVariables(process.env), PATH: ofOthers.join(path.delimiter), HOME: home, PORT_OFFSET };
  const options = { cwd: clone, env };
  /** @param {readonly string[]} args */
  const npm = async (...args) => {
    process.stdout.write(`npm ${args.join(' ')} … `);
    const begun = performance.now();
    const stdout = await runOrFail('npm', args, { ...options, lines: 30 });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    process.stdout.write(`${seconds} s\n`);
    // The steps of a start.
    process.stdout.write((stdout.match(/^\[.*\n/gm) ?? []).join(''));
    return { seconds, stdout };
  };
  try {
    await runOrFail('git', ['clone', '--quiet', ROOT, clone]);
    const cold = await npm('start', '--', '--detach');
    await npm('run', 'stop');
    const warm = await npm('start', '--', '--detach');
    await delay(REST_MS);
    const status = await npm('run', '--silent', 'status', '--', '--json');
    await npm('run', 'stop');
    const { totals } = JSON.parse(status.stdout);
    const mebibytes = (/** @type {number} */ bytes) => `${Math.round(bytes / 1024 / 1024)} MiB`;
    const rows = [
      ['`npm start` in a fresh clone, nothing installed or cached', `${cold.seconds} s`],
      ['second `npm start`', `${warm.seconds} s`],
      ['all services at rest, resident', mebibytes(totals.services.resident)],
      ['all services, highest since their start', mebibytes(totals.services.peak)],
      ['all services at rest, shared pages counted once', mebibytes(totals.services.proportional)],
      ['the same with PostgreSQL, NATS, mail catcher and supervisor', mebibytes(totals.everything.proportional)],
    ];
    const machine = `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 1024 ** 3)} GiB, ${os.type()}, Node ${nodeVersion()}`;
    process.stdout.write(
      `\n| measured on ${machine} | |\n|---|---|\n${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}\n`,
    );
  } finally {
    await run('npm', ['run', 'stop'], options);
    await rm(folder, { recursive: true, force: true });
  }
});
