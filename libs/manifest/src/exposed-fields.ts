import { formulaDependencies } from '@crm/formula';
import type { NamedField } from './package-model.js';
import type { Manifest } from './schema/manifest.js';

/** Returns whether a formula shows values derived from fields that its readers cannot read. */
export function isExposing(field: NamedField): boolean {
  return field.type === 'formula' && field.exposes === true;
}

/**
 * The formulas that expose restricted fields in both versions of an object, but other values of them: the formula has
 * changed, or one that it reads on the way to those fields. Another exposing formula ends the way, because consent for
 * what it shows is requested separately. Takes time linear in the number of formulas and of the names they read.
 */
export function otherExposures(before: readonly NamedField[], after: readonly NamedField[]): ReadonlySet<string> {
  const old = new Map(before.map((field) => [field.apiName, field]));
  const ends = new Set(after.filter(isExposing).map(({ apiName }) => apiName));
  if (ends.size === 0) return ends;
  const formulas = after.filter(({ type }) => type === 'formula');
  const readers = readersOf(formulas);
  const restricted = after.filter(({ readRoles = [] }) => readRoles.length > 0).map(({ apiName }) => apiName);
  const derived = reached(
    restricted.flatMap((name) => readers.get(name) ?? []),
    readers,
    ends,
  );
  const changed = formulas.filter((field) => old.get(field.apiName)?.expression !== field.expression);
  const other = reached(
    changed.map(({ apiName }) => apiName),
    readers,
    ends,
  );
  const both = before.filter((field) => isExposing(field) && ends.has(field.apiName)).map(({ apiName }) => apiName);
  return new Set(both.filter((name) => derived.has(name) && other.has(name)));
}

/**
 * The fields that exposing formulas open, by formula: those that it reads, directly or through formulas that expose nothing
 * themselves, and that not everybody may read who may read it. A formula that opens none has no entry.
 */
export function openedFields(fields: readonly NamedField[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(fields.map((field) => [field.apiName, field]));
  const read = new Map<string, readonly string[]>();
  // Each formula is parsed once, however many read it.
  const reads = ({ apiName, type, expression = '' }: NamedField): readonly string[] => {
    const names = read.get(apiName) ?? (type === 'formula' ? [...formulaDependencies(expression)] : []);
    read.set(apiName, names);
    return names;
  };
  const opened = new Map<string, readonly string[]>();
  for (const formula of fields.filter(isExposing)) {
    const names = new Set(reads(formula));
    // Grows while it is walked.
    for (const name of names) {
      const field = byName.get(name);
      if (field && !isExposing(field)) for (const next of reads(field)) names.add(next);
    }
    const hidden = [...names].filter((name) => !everyReaderReads(formula, byName.get(name)));
    if (hidden.length > 0) opened.set(formula.apiName, hidden.sort());
  }
  return opened;
}

/** An empty list of roles means everyone. */
function everyReaderReads({ readRoles: readers = [] }: NamedField, field: NamedField | undefined): boolean {
  const { readRoles = [] } = field ?? {};
  return readRoles.length === 0 || (readers.length > 0 && readers.every((role) => readRoles.includes(role)));
}

/** Every field of a package that one of its formulas opens, as `object.field`. */
export function exposedFields({ objects = [] }: Pick<Manifest, 'objects'>): string[] {
  return objects.flatMap(({ apiName, fields }) => {
    const opened = [...openedFields(fields as readonly NamedField[]).values()].flat();
    return [...new Set(opened)].sort().map((field) => `${apiName}.${field}`);
  });
}

/** Maps each name to the formulas that read it. */
function readersOf(formulas: readonly NamedField[]): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>();
  for (const { apiName, expression = '' } of formulas) {
    for (const name of formulaDependencies(expression)) {
      const known = readers.get(name);
      if (known) known.push(apiName);
      else readers.set(name, [apiName]);
    }
  }
  return readers;
}

/** The starts and everything that reads them, directly or indirectly; paths are not followed beyond an end. */
function reached(
  starts: readonly string[],
  readers: ReadonlyMap<string, readonly string[]>,
  ends: ReadonlySet<string>,
): ReadonlySet<string> {
  const names = new Set(starts);
  // Grows while it is walked.
  for (const name of names) {
    if (ends.has(name)) continue;
    for (const reader of readers.get(name) ?? []) names.add(reader);
  }
  return names;
}
