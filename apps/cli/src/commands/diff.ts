import { type Change, certify, compareManifests, type Manifest } from '@crm/manifest';
import { parseArguments, UsageError } from '../arguments.js';
import { readSource } from '../package-source.js';
import { packageName } from '../report/report.js';
import { type Colours, printable, printableJson, type Terminal } from '../terminal.js';

export const DIFF_USAGE = `Usage: crm-dev diff <old.json> <new.json> [--json]

Shows what an upgrade from one version of a package to another means for tenants.

  --json  the changes as JSON

Exit status: 0 nothing is lost, or release.breaking declares it; 1 stored values are lost without a declaration
in release.breaking; 2 wrong usage, or one of the files is not a package.
`;

/** `crm-dev diff`. @returns the exit status */
export async function diffCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } }, DIFF_USAGE);
  const [oldFile, newFile, ...others] = positionals;
  if (oldFile === undefined || newFile === undefined || others.length > 0) {
    throw new UsageError('Give two packages: the old and the new app.json.', DIFF_USAGE);
  }
  const [before, after] = [await readManifest(oldFile), await readManifest(newFile)];
  const changes = compareManifests(before, after);
  const isUndeclared = changes.some(({ effect }) => effect === 'destructive') && !declaresBreaking(after);
  terminal.out(values.json ? `${printableJson({ changes })}\n` : textOf(changes, terminal.colours));
  if (!values.json) {
    if (isUndeclared) terminal.out('Declare in release.breaking what is lost, or keep it.\n');
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
      const asks = consent ? ' (asks the tenant for consent)' : '';
      const where = pointer === '' ? '' : ` ${colours.faint(printable(pointer))}`;
      return `${SIGNS[kind]} ${colours[EFFECTS[effect]](effect.padEnd(11))} ${printable(message)}${asks}${where}\n`;
    })
    .join('');
}

function summaryOf(changes: readonly Change[]): string {
  if (changes.length === 0) return 'nothing changes for tenants';
  const count = (test: (change: Change) => boolean) => changes.filter(test).length;
  return [
    ...(['added', 'changed', 'removed'] as const).map((kind) => `${count((change) => change.kind === kind)} ${kind}`),
    ...(['safe', 'breaking', 'destructive'] as const).map(
      (effect) => `${count((change) => change.effect === effect)} ${effect}`,
    ),
    `${count(({ consent }) => consent)} asking for consent`,
  ].join(', ');
}
