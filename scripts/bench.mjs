// Measures what docs/performance.md claims: npm run bench -- <group> [file …] [--write]
// Runs bench/<group>/*.mjs against the built packages, prints a table of their rows and with --write puts it into
// docs/performance.md. Exits 1 when a row misses its target.
//
// A file exports `measure`, a function (or async function) that returns rows:
//   { name, unit, ours, baseline?, ratio?, target }
// `ours` and `baseline` are in `unit`, measured in the same run; `target` bounds the ratio of the two, or `ours` where
// there is no baseline. bench/measure.mjs has the clock.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
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
 * @property {number} target the largest ratio, or the largest `ours` where there is no baseline
 */

const DOCUMENT = inRoot('docs', 'performance.md');
const FRESH_DOCUMENT = '# Performance\n\nMeasured by `npm run bench -- <group>`; `--write` renews a table.\n';

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const [group, ...files] = positionals;
  const folder = inRoot('bench', group ?? '');
  if (!group || !/^[a-z-]+$/.test(group) || !existsSync(folder)) {
    throw new PlainError('Give the group to measure: npm run bench -- core [file …] [--write]');
  }
  if (values.json) return printRowsOf(path.join(folder, files[0] ?? ''));
  await buildPackages(await measuredPackages());
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs')).sort();
  const chosen = files.length > 0 ? names.filter((name) => files.includes(name.replace('.mjs', ''))) : names;
  if (chosen.length === 0) throw new PlainError(`There is nothing to measure in bench/${group}`);
  if (values.write && files.length > 0) throw new PlainError('--write needs the rows of the whole group');
  const rows = [];
  for (const name of chosen) {
    process.stdout.write(`bench/${group}/${name} …\n`);
    rows.push(...(await rowsOf(group, name)));
  }
  const table = tableOf(rows);
  process.stdout.write(`\n${table}\n`);
  if (values.write) await writeTable(group, table);
  const missed = rows.filter((row) => !meets(row));
  if (missed.length === 0) return 0;
  process.stdout.write(`\nMissed: ${missed.map((row) => row.name).join('; ')}\n`);
  return 1;
});

/** The packages of this repository that measurements import: nothing else needs to be built for them. */
async function measuredPackages() {
  const { dependencies } = JSON.parse(await readFile(inRoot('bench', 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => name.startsWith('@crm/'));
}

/**
 * Each file runs in a process of its own: what one has made the compiler assume must not slow the next.
 * @param {string} group
 * @param {string} name of the file
 * @returns {Promise<Row[]>}
 */
async function rowsOf(group, name) {
  const child = spawn(process.execPath, [import.meta.filename, group, name, '--json'], {
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
  return (ratioOf(row) ?? row.ours) <= row.target;
}

/** @param {readonly Row[]} rows */
function tableOf(rows) {
  const cells = rows.map((row) => {
    const ratio = ratioOf(row);
    return [
      row.name.replaceAll('|', '\\|'),
      `${digits(row.ours)} ${row.unit}`,
      row.baseline === undefined ? '' : `${digits(row.baseline)} ${row.unit}`,
      ratio === undefined ? '' : `${ratio.toFixed(1)} ×`,
      ratio === undefined ? `≤ ${row.target} ${row.unit}` : `≤ ${row.target} ×`,
      meets(row) ? 'yes' : 'no',
    ];
  });
  const lines = [
    ['What', 'Ours', 'By hand', 'Ratio', 'Target', 'Met'],
    ['---', '--:', '--:', '--:', '--:', '---'],
    ...cells,
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/**
 * Three significant digits.
 * @param {number} value
 */
function digits(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/**
 * Puts a table between the marks of its group, which are added at the end when they are missing.
 * @param {string} group
 * @param {string} table
 */
async function writeTable(group, table) {
  const [begin, end] = [`<!-- ${group}: begin -->`, `<!-- ${group}: end -->`];
  const [cpu] = os.cpus();
  const machine = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${os.cpus().length} × ${cpu?.model ?? 'unknown processor'}`;
  const block = `${begin}\n\n${machine}\n\n${table}\n\n${end}`;
  const text = existsSync(DOCUMENT) ? await readFile(DOCUMENT, 'utf8') : FRESH_DOCUMENT;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  const written =
    from >= 0 && to > from
      ? text.slice(0, from) + block + text.slice(to + end.length)
      : `${text.trimEnd()}\n\n## \`npm run bench -- ${group}\`\n\n${block}\n`;
  await writeFile(DOCUMENT, written);
}
