import { type Change, certify, compareManifests, type Manifest } from '@crm/manifest';
import { parseArguments, UsageError } from '../arguments.js';
import { readSource } from '../package-source.js';
import { packageName } from '../report/report.js';
import { type Colours, printable, printableJson, type Terminal } from '../terminal.js';

export const DIFF_USAGE = `Usage: crm-dev diff <old.json> <new.json> [--json]

Compare two versions of a package, and show what an upgrade means for workspaces.

  --json  print the changes as JSON

Exit status: 0 no data is lost, or release.breaking lists it; 1 data is lost that release.breaking does not list;
2 wrong usage, or a file is not a package.
`;

/** `crm-dev diff`. @returns the exit status */
export async function diffCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } }, DIFF_USAGE);
  const [oldFile, newFile, ...others] = positionals;
  if (oldFile === undefined || newFile === undefined || others.length > 0) {
    throw new UsageError('Pass two packages: the old app.json and the new one.', DIFF_USAGE);
  }
  const [before, after] = [await readManifest(oldFile), await readManifest(newFile)];
  const changes = compareManifests(before, after);
  const isUndeclared = changes.some(({ effect }) => effect === 'destructive') && !declaresBreaking(after);
  terminal.out(values.json ? `${printableJson({ changes })}\n` : textOf(changes, terminal.colours));
  if (!values.json) {
    if (isUndeclared) terminal.out('Data will be lost. List it in release.breaking, or keep the field.\n');
    terminal.out(`${packageName(before)} → ${packageName(after)}: ${summaryOf(changes)}\n`);
  }
  return isUndeclared ? 1 : 0;
}

/** @throws UsageError when the text does not match the package schema: comparing parts of it would be misleading */
async function readManifest(file: string): Promise<Manifest> {
  const source = await readSource(file);
  const problems = source.parsed.ok ? await shapeProblems(source.value) : source.parsed.problems;
  const [first] = problems;
  if (!first) return source.value as Manifest;
  const { line, column } = source.locate(first.pointer);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more; see crm-dev certify)` : '';
  throw new UsageError(`${file}:${line}:${column} is not a package: ${printable(first.message)}${more}`);
}

async function shapeProblems(manifest: unknown) {
  const { checks } = await certify(manifest, { mode: 'certification' });
  return checks.find(({ id }) => id === 'MAN-001')?.findings ?? [];
}

function declaresBreaking({ release }: Manifest): boolean {
  return (release?.breaking ?? []).some((text) => text.trim() !== '');
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;

const EFFECTS = { safe: 'good', breaking: 'warning', destructive: 'blocker' } as const;

function textOf(changes: readonly Change[], colours: Colours): string {
  return changes
    .map(({ kind, effect, consent, pointer, message }) => {
      const asks = consent ? ' (needs consent)' : '';
      const where = pointer === '' ? '' : ` ${colours.faint(printable(pointer))}`;
      return `${SIGNS[kind]} ${colours[EFFECTS[effect]](effect.padEnd(11))} ${printable(message)}${asks}${where}\n`;
    })
    .join('');
}

function summaryOf(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no changes for workspaces';
  const count = (test: (change: Change) => boolean) => changes.filter(test).length;
  return [
    ...(['added', 'changed', 'removed'] as const).map((kind) => `${count((change) => change.kind === kind)} ${kind}`),
    ...(['safe', 'breaking', 'destructive'] as const).map(
      (effect) => `${count((change) => change.effect === effect)} ${effect}`,
    ),
    `${count(({ consent }) => consent)} needing consent`,
  ].join(', ');
}
