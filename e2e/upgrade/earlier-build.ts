import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run, runOrFail } from '../../scripts/processes/run.mjs';
import { CACHE_DIR, inRoot, ROOT } from '../../scripts/root.mjs';

/** Its one line names the commit whose programs are upgraded. A change that adds a migration moves it at its end. */
const UPGRADE_FROM = 'e2e/upgrade/upgrade-from';
const PROGRAMS = ['custom-objects', 'webhook-dispatcher', 'migrate'];

/**
 * Builds the programs of an earlier commit, once for all runs, in a worktree of its own.
 * @returns the folder of the worktree; in a clone that lacks the commit, that of this build, which then takes both parts
 */
export async function buildEarlier(): Promise<string> {
  const commit = (await readFile(inRoot(UPGRADE_FROM), 'utf8')).trim();
  const all = path.join(CACHE_DIR, 'upgrade-from');
  const folder = path.join(all, commit);
  const mark = path.join(folder, '.built');
  if (existsSync(mark)) return folder;
  const git = (...args: string[]) => run('git', args, { cwd: ROOT });
  if ((await git('cat-file', '-e', `${commit}^{commit}`)).code !== 0) {
    process.stderr.write(
      `This clone lacks the commit ${commit} of ${UPGRADE_FROM}, so the upgrade is tried from this version to itself: "git fetch --unshallow" brings the commit.\n`,
    );
    return ROOT;
  }
  // Builds of commits that were named before.
  await rm(all, { recursive: true, force: true });
  await git('worktree', 'prune');
  await runOrFail('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: ROOT });
  const projects = PROGRAMS.map((name) => `@crm/${name}`).join();
  const build = [path.join(folder, 'scripts', 'build.mjs'), `--projects=${projects}`];
  await runOrFail(process.execPath, build, { cwd: folder, failure: `${commit} could not be built`, lines: 30 });
  await writeFile(mark, '');
  return folder;
}
