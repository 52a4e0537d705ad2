import { existsSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR, ROOT } from '../root.mjs';

/** The package manager that the lockfile was written with. */
export const PNPM_VERSION = '12.21.0';

const OF_NPM =
  /^npm_(package|lifecycle|command|execpath|node_execpath|config_(noproxy|local_prefix|prefix|global_prefix|user_agent))/;

/** The environment without npm's settings of the outer command. @param {NodeJS.ProcessEnv} environment */
export const withoutNpmVariables = (environment) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_NPM.test(name)));

/** @param {string} program pnpm; outside of the project, whose settings might choose another one */
const versionOf = async (program) => (await run(program, ['--version'], { cwd: '/' })).stdout.trim();

/** The machine's own pnpm if it has the right version, else one that is fetched through npm into the cache folder.
 * @returns {Promise<string>} the program @throws {PlainError} when it cannot be had */
export async function pnpmProgram() {
  if ((await versionOf('pnpm')) === PNPM_VERSION) return 'pnpm';
  const tools = path.join(CACHE_DIR, 'tools', `pnpm-${PNPM_VERSION}`);
  const program = path.join(tools, 'node_modules', '.bin', 'pnpm');
  if (existsSync(program) && (await versionOf(program)) === PNPM_VERSION) return program;

  const fetched = await run(
    'npm',
    ['install', '--prefix', tools, '--no-audit', '--no-fund', '--loglevel=error', `pnpm@${PNPM_VERSION}`],
    { cwd: ROOT, env: withoutNpmVariables(process.env) },
  );
  if (fetched.code !== 0 || (await versionOf(program)) !== PNPM_VERSION) {
    throw new PlainError(
      `pnpm ${PNPM_VERSION} could not be fetched through npm:\n${lastLines(fetched.stderr, 6)}\n` +
        `By hand: npm install --global pnpm@${PNPM_VERSION}`,
    );
  }
  return program;
}
