// Mutation test: npm run test:mutation -- <lib> [--sample <n>] [--seed <n>] [--files <part of a path>] [--workers <n>]
//   [--again <output of an earlier run>] [--since <commit>]
// Makes one small change after the other in a copy of libs/<lib>/src and runs the library's tests on it; a change that
// no test notices survives. With --again only what survived an earlier run is tried: valid while only tests were added
// since. With --since only the lines changed since that commit are. Ends with the survivors and the share that was killed; exit code 1 below 85 %.
// Tests that need a database run when TEST_DATABASE_URL is set (scripts/with-test-servers.mjs).
//
// Our own because the runner for Jest of the usual tool needs a newer Node than ours and knows no ES modules.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf } from './mutation/sites.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';

/** The smallest share of killed mutants, in percent. */
const TARGET = 85;
/** A change that makes the tests run this long (an endless loop) is noticed. */
const TIMEOUT_SECONDS = 120;
/** They take long, and what they find the others find too. */
const LEFT_OUT = ['fuzz\\.spec'];
/** They run only on what the quick ones let pass. */
const SLOW = ['sql\\.spec', 'properties\\.spec', 'dates\\.spec', 'completion\\.spec'];

const require = createRequire(import.meta.url);

/** @typedef {import('./mutation/sites.mjs').Mutant & { file: string, line: number, original: string }} PlacedMutant */

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      files: { type: 'string', default: '' },
      workers: { type: 'string', default: '2' },
      again: { type: 'string' },
      since: { type: 'string' },
    },
  });
  const [library] = positionals;
  const source = inRoot('libs', library ?? '');
  if (!library || !/^[a-z-]+$/.test(library) || !existsSync(source)) {
    throw new PlainError('Give the library: npm run test:mutation -- formula [--sample <n>]');
  }
  const all = (await placedMutants(path.join(source, 'src'))).filter(({ file }) => file.includes(values.files));
  const earlier = values.again ? survivorsIn(await readFile(values.again, 'utf8')) : undefined;
  const changed = values.since ? await changedLines(library, values.since) : undefined;
  const candidates = all
    .filter((mutant) => !earlier || earlier.has(lineOf(mutant)))
    .filter(({ file, line }) => !changed || changed.get(file)?.has(line));
  const chosen = shuffled(candidates, Number(values.seed)).slice(0, values.sample ? Number(values.sample) : undefined);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-mutation-'));
  try {
    const copies = await Promise.all(
      Array.from({ length: Number(values.workers) }, (_, index) => copyOf(library, path.join(folder, String(index)))),
    );
    const [first] = copies;
    if (!first || !(await passes(first))) throw new PlainError(`The tests of ${library} fail without any change`);
    process.stdout.write(`${chosen.length} of ${all.length} mutants\n`);
    const survivors = await killAll(chosen, copies);
    for (const survivor of survivors) process.stdout.write(`${lineOf(survivor)}\n`);
    const killed = chosen.length - survivors.length;
    const share = (100 * killed) / Math.max(1, chosen.length);
    process.stdout.write(`${killed} of ${chosen.length} killed (${share.toFixed(1)} %), seed ${values.seed}\n`);
    return share >= TARGET ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/**
 * A survivor as the output shows it.
 * @param {PlacedMutant} mutant
 */
function lineOf({ file, line, original, replacement, kind }) {
  return `survived  ${file}:${line}  ${kind}  ${original.trim()} → ${replacement.trim()}`.replaceAll('\n', ' ');
}

/** @param {string} output of an earlier run, to its end */
function survivorsIn(output) {
  return new Set(output.split('\n').filter((line) => line.startsWith('survived  ') && line.includes(' → ')));
}

/**
 * The lines of each source file that a commit did not have.
 * @param {string} library
 * @param {string} commit
 * @returns {Promise<Map<string, Set<number>>>}
 */
async function changedLines(library, commit) {
  const { code, stdout } = await run('git', ['diff', '-U0', '--relative', commit, '--', 'src'], {
    cwd: inRoot('libs', library),
  });
  if (code !== 0) throw new PlainError(`git knows no commit ${commit}`);
  /** @type {Map<string, Set<number>>} */
  const lines = new Map();
  let file = '';
  for (const line of stdout.split('\n')) {
    if (line.startsWith('+++ ')) file = line.replace(/^\+\+\+ (b\/src\/)?/, '');
    const [, first = '', count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === '') continue;
    const known = lines.get(file) ?? new Set();
    for (let index = 0; index < Number(count); index++) known.add(Number(first) + index);
    lines.set(file, known);
  }
  return lines;
}

/** @param {string} folder */
async function placedMutants(folder) {
  /** @type {PlacedMutant[]} */
  const placed = [];
  const names = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.spec)\.ts$/.test(name)).sort();
  for (const file of names) {
    const bytes = await readFile(path.join(folder, file));
    for (const mutant of mutantsOf(bytes.toString())) {
      const original = bytes.subarray(mutant.start, mutant.end).toString();
      placed.push({ ...mutant, file, original, line: bytes.subarray(0, mutant.start).toString().split('\n').length });
    }
  }
  return placed;
}

/**
 * A copy of the library with a configuration of its own. The documents that tests compare come along.
 * @param {string} library
 * @param {string} root
 * @returns {Promise<string>} the copy's folder
 */
async function copyOf(library, root) {
  const copy = path.join(root, 'libs', library);
  await mkdir(copy, { recursive: true });
  for (const part of ['src', 'test', 'package.json']) {
    if (existsSync(inRoot('libs', library, part))) {
      await cp(inRoot('libs', library, part), path.join(copy, part), { recursive: true });
    }
  }
  await symlink(inRoot('libs', library, 'node_modules'), path.join(copy, 'node_modules'));
  await cp(inRoot('docs'), path.join(root, 'docs'), { recursive: true });
  const configuration = {
    rootDir: copy,
    testMatch: ['**/src/**/*.spec.ts', '**/test/**/*.spec.ts'],
    testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
    extensionsToTreatAsEsm: ['.ts'],
    resolver: inRoot('scripts', 'jest-resolver.cjs'),
    transform: { '^.+\\.ts$': [require.resolve('@swc/jest')] },
  };
  await writeFile(path.join(copy, 'jest.config.json'), JSON.stringify(configuration));
  return copy;
}

/**
 * @param {readonly PlacedMutant[]} mutants
 * @param {readonly string[]} copies one for each worker
 * @returns {Promise<PlacedMutant[]>} the survivors
 */
async function killAll(mutants, copies) {
  const queue = [...mutants];
  /** @type {PlacedMutant[]} */
  const survivors = [];
  let done = 0;
  const work = async (/** @type {string} */ copy) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const file = path.join(copy, 'src', mutant.file);
      const bytes = await readFile(file);
      const replaced = [bytes.subarray(0, mutant.start), Buffer.from(mutant.replacement), bytes.subarray(mutant.end)];
      await writeFile(file, Buffer.concat(replaced));
      if (await passes(copy)) {
        survivors.push(mutant);
        process.stdout.write(`survived  ${mutant.file}:${mutant.line}  ${mutant.kind}\n`);
      }
      await writeFile(file, bytes);
      if (++done % 25 === 0) process.stdout.write(`${done} done, ${survivors.length} survived\n`);
    }
  };
  await Promise.all(copies.map(work));
  return survivors.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

/** @param {string} copy */
async function passes(copy) {
  const withoutDatabase = process.env.TEST_DATABASE_URL ? [] : ['test/sql\\.spec'];
  return (
    (await passesTests(copy, [], [...LEFT_OUT, ...SLOW])) &&
    (await passesTests(copy, SLOW, [...LEFT_OUT, ...withoutDatabase]))
  );
}

/**
 * @param {string} copy
 * @param {readonly string[]} chosen patterns of test files; none means all
 * @param {readonly string[]} leftOut patterns of test files
 */
async function passesTests(copy, chosen, leftOut) {
  const { code } = await run(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      inRoot('node_modules', 'jest', 'bin', 'jest.js'),
      '--config',
      path.join(copy, 'jest.config.json'),
      '--runInBand',
      '--bail',
      '--silent',
      '--passWithNoTests',
      ...chosen,
      '--testPathIgnorePatterns=/node_modules/',
      ...leftOut.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
    ],
    { cwd: ROOT, signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000) },
  );
  return code === 0;
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} seed
 * @returns {T[]} in an order that depends on the seed alone
 */
function shuffled(list, seed) {
  const result = [...list];
  let state = seed >>> 0;
  for (let index = result.length - 1; index > 0; index--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (index + 1));
    const [a, b] = [result[index], result[other]];
    result[index] = /** @type {T} */ (b);
    result[other] = /** @type {T} */ (a);
  }
  return result;
}
