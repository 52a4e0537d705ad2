import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';
import { runOrFail } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';

/** So many are built at a time: while one waits for files or for the bundler's threads, another one computes. */
const AT_ONCE = 3;

/** Tests are not built. */
const SOURCE = /(?<!\.spec)\.ts$/;

/** @typedef {'library' | 'program' | 'page'} Kind */

/** @type {Record<Kind, (folder: string) => Promise<void>>} */
const BUILDS = {
  library: buildLibrary,
  program: async (folder) => (await import('../bundle.mjs')).bundle(folder),
  page: async (folder) => {
    const { buildPage } = await import('../build-page.mjs');
    const name = path.basename(folder).replace(/-page$/, '');
    // The console is at the root of its address, the other pages below their names.
    await buildPage(folder, name === 'console' ? '/' : `/${name}/`);
  },
};

/** The task of one package, where nx is told not to batch.
 * @param {{ kind: Kind }} options @param {import('nx/src/devkit-exports').ExecutorContext} context */
export async function buildOne({ kind }, { projectName, projectsConfigurations }) {
  await BUILDS[kind](inRoot(projectsConfigurations.projects[projectName ?? '']?.root ?? ''));
  return { success: true };
}

/** The tasks of all packages that nx does not have, in one process: what services share is compiled once.
 * @param {import('nx/src/devkit-exports').TaskGraph} graph @param {Record<string, { kind: Kind }>} options by task */
export async function* buildAll({ tasks }, options) {
  const waiting = Object.values(tasks);
  /** @type {Map<string, Promise<{ task: string, result: object }>>} */
  const running = new Map();
  while (waiting.length > 0 || running.size > 0) {
    for (const { id, projectRoot } of waiting.splice(0, AT_ONCE - running.size)) {
      const startTime = Date.now();
      const build = BUILDS[/** @type {{ kind: Kind }} */ (options[id]).kind](inRoot(projectRoot ?? ''));
      const result = build.then(
        () => ({ success: true, terminalOutput: '' }),
        (error) => ({ success: false, terminalOutput: `${error instanceof Error ? error.stack : error}\n` }),
      );
      running.set(
        id,
        result.then((outcome) => ({ task: id, result: { ...outcome, startTime, endTime: Date.now() } })),
      );
    }
    const done = await Promise.race(running.values());
    running.delete(done.task);
    yield done;
  }
}

/** Compiles each source of a library to a file of its own. One that is published also gets declarations, and no source
 * maps. @param {string} folder */
async function buildLibrary(folder) {
  const sources = path.join(folder, 'src');
  const results = path.join(folder, 'dist');
  const declarations = path.join(folder, 'tsconfig.build.json');
  const isPublished = existsSync(declarations);
  const files = (await readdir(sources, { recursive: true })).filter((file) => SOURCE.test(file));
  await rm(results, { recursive: true, force: true });
  await Promise.all(
    files.map(async (file) => {
      const source = path.join(sources, file);
      const target = path.join(results, file.replace(SOURCE, '.js'));
      const { code, map } = await transformFile(source, {
        configFile: inRoot('.swcrc'),
        sourceMaps: !isPublished,
        sourceFileName: path.relative(path.dirname(target), source),
      });
      await mkdir(path.dirname(target), { recursive: true });
      if (map) await writeFile(`${target}.map`, map);
      await writeFile(target, map ? `${code}\n//# sourceMappingURL=${path.basename(target)}.map` : code);
    }),
  );
  if (isPublished) await runOrFail(inRoot('node_modules', '.bin', 'tsc'), ['-p', declarations], { lines: 30 });
}
