// Measures what the README's table says: start times from a fresh clone, with packages installed, and with everything
// built, and the memory of all services at rest. node scripts/measure-start.mjs [--rest <seconds>]
// Works on a clone of the last commit in a temporary folder, with a home folder of its own, so that nothing of this
// project is in a cache; it ends with a Markdown table.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { lastLines, run } from './processes/run.mjs';
import { ROOT } from './root.mjs';
import { withoutNpmVariables } from './setup/pnpm.mjs';

/** How long the services are left alone before their memory is read. */
const REST_SECONDS = '30';
/** Away from a platform that may be running. */
const PORT_OFFSET = '20000';

await runCommand(async () => {
  const { values } = parseArgs({ options: { rest: { type: 'string', default: REST_SECONDS } } });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-measure-'));
  const clone = path.join(folder, 'clone');
  const home = path.join(folder, 'home');
  await mkdir(home);
  const options = { cwd: clone, env: { ...withoutNpmVariables(process.env), HOME: home, PORT_OFFSET } };
  /** @param {readonly string[]} args */
  const npm = async (...args) => {
    process.stdout.write(`npm ${args.join(' ')} … `);
    const begun = performance.now();
    const outcome = await run('npm', args, options);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    process.stdout.write(`${seconds} s\n`);
    if (outcome.code !== 0) {
      throw new PlainError(`npm ${args.join(' ')} failed:\n${lastLines(outcome.stdout + outcome.stderr, 30)}`);
    }
    return { seconds, stdout: outcome.stdout };
  };
  try {
    const cloned = await run('git', ['clone', '--quiet', ROOT, clone]);
    if (cloned.code !== 0) throw new PlainError(`git clone failed:\n${cloned.stderr}`);
    const cold = await npm('start', '--', '--detach');
    process.stdout.write(cold.stdout.replace(/^(?!\[).*\n?/gm, ''));
    await npm('run', 'stop');
    const warm = await npm('start', '--', '--detach');
    process.stdout.write(warm.stdout.replace(/^(?!\[).*\n?/gm, ''));
    await delay(Number(values.rest) * 1000);
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
    const machine = `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 1024 ** 3)} GiB, ${os.type()}, Node ${process.versions.node}`;
    process.stdout.write(
      `\n| measured on ${machine} | |\n|---|---|\n${rows.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}\n`,
    );
  } finally {
    await run('npm', ['run', 'stop'], options);
    await rm(folder, { recursive: true, force: true });
  }
});
