// npm run bench: measures what docs/performance.md claims. Prints a table of the rows of each group of bench/groups. Exits 1 when a row misses its target. A target bounds the ratio of
// `ours` and `baseline`, which are measured in the same run, or `ours` where there is no baseline; a row without informs.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';
import { nodeProgram, nodeVersion } from './setup/node.mjs';
import { buildPackages } from './setup/packages.mjs';

/** @typedef {import('../bench/load.mjs').Row} Row */
/** @typedef {import('../bench/lab.mjs').Lab} Lab */
/** What one process measures: cases by name, which get what `start` gives, or else the lab. */
/** @typedef {{ start?: (lab: Lab) => unknown, cases: Record<string, (subjects: any) => Row[] | Promise<Row[]>> }} Suite */

const USAGE = (/** @type {readonly string[]} */ groups) => `npm run bench -- <group …> [--only case] [--quick]
  --only   one case of the group
  --quick  short rounds and little data: whether it runs, not how fast
Groups: ${groups.join(', ')}`;

await runCommand(async () => {
  const { values, positionals: groups } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, quick: { type: 'boolean' }, suite: { type: 'string' } },
  });
  const known = (await readdir(inRoot('bench', 'groups'))).map((file) => file.replace('.mjs', ''));
  if (groups.length === 0 || groups.some((group) => !known.includes(group))) throw new PlainError(USAGE(known));
  if (values.suite !== undefined) return measure(groups[0] ?? '', Number(values.suite), values.only);
  if (values.quick) process.env.BENCH_QUICK = '1';
  await buildPackages();
  /** @type {Row[]} */
  const missed = [];
  for (const group of groups) {
    const rows = [];
    for (const [suite, { cases }] of (await suitesOf(group)).entries()) {
      if (!values.only || values.only in cases) rows.push(...(await rowsOf(group, suite, values.only)));
    }
    if (rows.length === 0) throw new PlainError(`There is no case ${values.only} in ${group}`);
    process.stdout.write(`\n${machine()}\n\n${tableOf(rows)}\n\n`);
    missed.push(...rows.filter((row) => !meets(row)));
  }
  if (missed.length === 0) return 0;
  process.stdout.write(`Missed: ${missed.map((row) => row.name).join('; ')}\n`);
  return 1;
});

/** @param {string} group @returns {Promise<Suite[]>} */
async function suitesOf(group) {
  return (await import(inRoot('bench', 'groups', `${group}.mjs`))).suites;
}

/** Each suite has a process of its own: what one has made the compiler assume must not slow the next.
 * @param {string} group @param {number} suite @param {string | undefined} only @returns {Promise<Row[]>} */
async function rowsOf(group, suite, only) {
  const args = [import.meta.filename, group, `--suite=${suite}`, ...(only ? [`--only=${only}`] : [])];
  const child = spawn(nodeProgram(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const output = await text(child.stdout);
  if ((await ended) !== 0) throw new PlainError(`A measurement of ${group} failed`);
  // The rows are the last line; a measurement may print before it.
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

/** @param {string} group @param {number} index @param {string | undefined} only */
async function measure(group, index, only) {
  const { Lab } = await import(inRoot('bench', 'lab.mjs'));
  const { start, cases } = /** @type {Suite} */ ((await suitesOf(group))[index]);
  const lab = new Lab();
  try {
    const subjects = start ? await start(lab) : lab;
    const rows = [];
    for (const [name, run] of Object.entries(cases)) {
      if (only && only !== name) continue;
      process.stderr.write(`${group} ${name} …\n`);
      rows.push(...(await run(subjects)));
    }
    process.stdout.write(`\n${JSON.stringify(rows)}\n`);
  } finally {
    await lab.stop();
  }
}

/** @param {Row} row */
function ratioOf({ ours, baseline, ratio }) {
  return ratio ?? (baseline === undefined ? undefined : ours / baseline);
}

/** @param {Row} row */
function meets(row) {
  const value = ratioOf(row) ?? row.ours;
  return value >= (row.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (row.atMost ?? Number.POSITIVE_INFINITY);
}

/** @param {readonly Row[]} rows */
function tableOf(rows) {
  const cells = rows.map((row) => {
    const ratio = ratioOf(row);
    const unit = ratio === undefined ? row.unit : '×';
    const bounds = [row.atLeast && `≥ ${row.atLeast} ${unit}`, row.atMost && `≤ ${row.atMost} ${unit}`];
    const target = bounds.filter(Boolean).join(', ');
    return [
      row.name.replaceAll('|', '\\|'),
      `${digits(row.ours)} ${row.unit}`,
      row.baseline === undefined ? '' : `${digits(row.baseline)} ${row.unit}`,
      ratio === undefined ? '' : `${ratio.toFixed(ratio < 1 ? 2 : 1)} ×`,
      target,
      target && (meets(row) ? 'yes' : '**no**'),
    ];
  });
  const heads = [
    ['What', 'Ours', 'Compared with', 'Ratio', 'Target', 'Met'],
    ['---', '--:', '--:', '--:', '--:', '---'],
  ];
  return [...heads, ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Three significant digits. @param {number} value */
function digits(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** When and on what was measured. */
function machine() {
  const [cpu] = os.cpus();
  return `${new Date().toISOString().slice(0, 10)}, Node ${nodeVersion()}, ${os.cpus().length} × ${cpu?.model ?? 'unknown processor'}`;
}
