import { canonicalJson } from '@crm/contracts';
import type { Change, ChangeEffect } from './change.js';
import { entriesOf, type ManifestDraft } from './draft.js';
import { pointer } from './json-pointer.js';
import { type NamedField, namedFields } from './package-model.js';

/** Types that store the same kind of value, so that one may become the other. */
const SAME_STORAGE: readonly ReadonlySet<string>[] = [
  new Set(['number', 'currency', 'percent']),
  new Set(['text', 'textarea']),
];

/** The differences between the objects of two versions. */
export function* compareObjects(before: ManifestDraft, after: ManifestDraft): Generator<Change> {
  const old = new Map([...entriesOf(before.objects)].map(([, object]) => [object.apiName, object]));
  const names = new Set<string>();
  for (const [i, object] of entriesOf(after.objects)) {
    if (object.apiName === undefined) continue;
    names.add(object.apiName);
    const at = pointer('objects', i);
    const previous = old.get(object.apiName);
    if (!previous) {
      yield {
        kind: 'added',
        pointer: at,
        message: `The object "${object.apiName}" is new.`,
        effect: 'safe',
        consent: true,
      };
      continue;
    }
    yield* compareFields(
      object.apiName,
      at,
      namedFields(previous).map(([, field]) => field),
      namedFields(object),
    );
  }
  for (const name of old.keys()) {
    if (name === undefined || names.has(name)) continue;
    const message = `The object "${name}" is gone with its records.`;
    yield { kind: 'removed', pointer: '/objects', message, effect: 'destructive', consent: false };
  }
}

function* compareFields(
  object: string,
  at: string,
  before: readonly NamedField[],
  after: readonly [index: number, field: NamedField][],
): Generator<Change> {
  const old = new Map(before.map((field) => [field.apiName, field]));
  const names = new Set(after.map(([, field]) => field.apiName));
  for (const [j, field] of after) {
    const place = `${at}/fields/${j}`;
    const previous = old.get(field.apiName);
    const title = `${object}.${field.apiName}`;
    if (!previous) {
      const blocks = field.required === true && (field.default ?? null) === null;
      const message = blocks ? `The field ${title} is new, required and has no default.` : `The field ${title} is new.`;
      yield { kind: 'added', pointer: place, message, effect: blocks ? 'breaking' : 'safe', consent: false };
      continue;
    }
    for (const [effect, what] of fieldChanges(previous, field)) {
      yield { kind: 'changed', pointer: place, message: `The field ${title} ${what}.`, effect, consent: false };
    }
  }
  for (const field of before) {
    if (names.has(field.apiName)) continue;
    const effect = field.type === 'formula' ? 'breaking' : 'destructive';
    const message = `The field ${object}.${field.apiName} is gone${effect === 'destructive' ? ' with its values' : ''}.`;
    yield { kind: 'removed', pointer: `${at}/fields`, message, effect, consent: false };
  }
}

function* fieldChanges(before: NamedField, after: NamedField): Generator<[ChangeEffect, string]> {
  if (before.type !== after.type)
    yield [typeEffect(before.type, after.type), `changes from ${before.type} to ${after.type}`];
  if (before.referenceTarget !== after.referenceTarget) yield ['destructive', 'points at another object'];
  if (after.required === true && before.required !== true) yield ['breaking', 'is required now'];
  if (after.is_unique === true && before.is_unique !== true) yield ['breaking', 'is unique now'];
  const kept = new Set(optionValues(after));
  const lost = optionValues(before).filter((value) => !kept.has(value));
  if (lost.length > 0) yield ['breaking', `loses ${optionNames(lost)}`];
  if (!isSame(before.validationRules, after.validationRules) && (after.validationRules?.length ?? 0) > 0) {
    yield ['breaking', 'has other validation rules'];
  }
  if (before.expression !== after.expression) yield ['safe', 'has another formula'];
  for (const list of ['readRoles', 'writeRoles'] as const) {
    if (isNarrower(before[list], after[list]))
      yield ['breaking', `is ${list === 'readRoles' ? 'readable' : 'writable'} by fewer roles`];
    else if (!isSame(before[list] ?? [], after[list] ?? []))
      yield ['safe', `is ${list === 'readRoles' ? 'readable' : 'writable'} by more roles`];
  }
}

function typeEffect(before: string, after: string): ChangeEffect {
  if (SAME_STORAGE.some((types) => types.has(before) && types.has(after))) return 'safe';
  // A formula stores nothing that could be lost.
  return before === 'formula' ? 'breaking' : 'destructive';
}

/** Options that are named in a message; of more only the number is. */
const SHOWN_OPTIONS = 10;

function optionNames(values: readonly string[]): string {
  const more = values.length - SHOWN_OPTIONS;
  const shown = values.slice(0, SHOWN_OPTIONS).map((value) => `"${value}"`);
  return `the options ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function optionValues(field: NamedField): string[] {
  return [...entriesOf(field.options)].flatMap(([, option]) =>
    typeof option === 'string' ? option : (option.value ?? []),
  );
}

/** Whether a role loses the right; an empty list means everyone. */
function isNarrower(
  before: readonly (string | undefined)[] = [],
  after: readonly (string | undefined)[] = [],
): boolean {
  if (after.length === 0) return false;
  return before.length === 0 || before.some((role) => !after.includes(role));
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
