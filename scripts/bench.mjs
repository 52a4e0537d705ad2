// Measures what docs/performance.md claims: npm run bench -- <group …> [--only file]
// Runs the files of bench/<group> that export `measure` against the built packages and prints a table of their rows for
// each group. Exits 1 when a row misses its target.
//
// `measure` is a function (or async function) that returns rows:
//   { name, unit, ours, baseline?, ratio?, atLeast?, atMost? }
// `ours` and `baseline` are in `unit`, measured in the same run; `atLeast` and `atMost` bound the ratio of the two, or
// `ours` where there is no baseline. A row without a bound informs. bench/measure.mjs has the clock.
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';
import { buildPackages } from './setup/build.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} unit such as `ns` or `ms`
 * @property {number} ours
 * @property {number} [baseline] the same work done by hand
 * @property {number} [ratio] ours / baseline
 * @property {number} [atLeast] the smallest ratio, or the smallest `ours` where there is no baseline
 * @property {number} [atMost] the largest ratio, or the largest `ours` where there is no baseline
 */

/** Where a file says that it measures. What it is made of may lie beside it. */
const MEASURES = /^export (?:async )?function measure\b/m;

await runCommand(async () => {
  const { values, positionals: groups } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, only: { type: 'string' } },
  });
  const known = await groupNames();
  if (groups.length === 0 || groups.some((group) => !known.includes(group))) {
    throw new PlainError(`Give what to measure: npm run bench -- <${known.join('|')} …> [--only file]`);
  }
  if (values.json) return printRowsOf(inRoot('bench', groups[0] ?? '', values.only ?? ''));
  await buildPackages(await measuredPackages());
  /** @type {Row[]} */
  const missed = [];
  for (const group of groups) {
    const names = (await measurementsOf(group)).filter((name) => !values.only || name === `${values.only}.mjs`);
    if (names.length === 0) throw new PlainError(`There is nothing to measure in bench/${group}`);
    const rows = [];
    for (const name of names) {
      process.stdout.write(`bench/${group}/${name} …\n`);
      rows.push(...(await rowsOf(group, name)));
    }
    process.stdout.write(`\n${machine()}\n\n${tableOf(rows)}\n\n`);
    missed.push(...rows.filter((row) => !meets(row)));
  }
  if (missed.length === 0) return 0;
  process.stdout.write(`Missed: ${missed.map((row) => row.name).join('; ')}\n`);
  return 1;
});

/** The folders of bench that measure something. */
async function groupNames() {
  const entries = await readdir(inRoot('bench'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules').map((entry) => entry.name);
}

/** @param {string} group @returns {Promise<string[]>} names of files */
async function measurementsOf(group) {
  const names = (await readdir(inRoot('bench', group))).filter((name) => name.endsWith('.mjs')).sort();
  const texts = await Promise.all(names.map((name) => readFile(inRoot('bench', group, name), 'utf8')));
  return names.filter((_, index) => MEASURES.test(texts[index] ?? ''));
}

/** The packages of this repository that measurements import: nothing else needs to be built for them. */
async function measuredPackages() {
  const { dependencies } = JSON.parse(await readFile(inRoot('bench', 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => name.startsWith('@crm/'));
}

/** Each file runs in a process of its own: what one has made the compiler assume must not slow the next.
 * @param {string} group @param {string} name of the file @returns {Promise<Row[]>} */
async function rowsOf(group, name) {
  const child = spawn(process.execPath, [import.meta.filename, group, '--only', name, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new PlainError(`bench/${group}/${name} failed`);
  // The rows are the last line; a measurement may print before it.
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

/** @param {string} file */
async function printRowsOf(file) {
  const { measure } = await import(pathToFileURL(file).href);
  const rows = await measure();
  process.stdout.write(`\n${JSON.stringify(rows)}\n`);
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
    const target = targetOf(row, ratio === undefined ? row.unit : '×');
    return [
      row.name.replaceAll('|', '\\|'),
      `${digits(row.ours)} ${row.unit}`,
      row.baseline === undefined ? '' : `${digits(row.baseline)} ${row.unit}`,
      ratio === undefined ? '' : `${ratio.toFixed(ratio < 1 ? 2 : 1)} ×`,
      target,
      target && (meets(row) ? 'yes' : '**no**'),
    ];
  });
  const lines = [
    ['What', 'Ours', 'Compared with', 'Ratio', 'Target', 'Met'],
    ['---', '--:', '--:', '--:', '--:', '---'],
    ...cells,
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** @param {Row} row @param {string} unit */
function targetOf({ atLeast, atMost }, unit) {
  return [atLeast === undefined ? '' : `≥ ${atLeast} ${unit}`, atMost === undefined ? '' : `≤ ${atMost} ${unit}`]
    .filter(Boolean)
    .join(', ');
}

/** Three significant digits. @param {number} value */
function digits(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** When and on what was measured. */
function machine() {
  const [cpu] = os.cpus();
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown processor'}`;
}
