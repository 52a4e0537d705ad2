import { canonicalJson } from '@crm/contracts';
import { fieldTypes, onDeleteOf } from '@crm/fields';
import { entriesOf, type ManifestDraft } from './example.js';
import { isExposing, otherExposures } from './exposed-fields.js';
import { pointer } from './json-pointer.js';
import { hasDefault, type NamedField, namedFields } from './package-model.js';

/**
 * What a change means for a tenant that upgrades: `safe` needs nothing, `breaking` may make clients or
 * existing records fail, `destructive` loses stored values.
 */
export type ChangeEffect = 'safe' | 'breaking' | 'destructive';

export interface Change {
  kind: 'added' | 'removed' | 'changed';
  /** Points into the new manifest; for a removal, to the section that contained it. */
  pointer: string;
  message: string;
  effect: ChangeEffect;
  /**
   * True when the tenant must consent again: a new scope, event, host, origin or object, a scope that was optional, or a
   * formula that starts to show values its readers cannot read, or shows other such values.
   */
  consent: boolean;
}

/** Describes a formula that shows more than its readers can read. */
const EXPOSES = "exposes values from fields its readers can't see";

/** One change of a field: its effect, its description, and whether the tenant must consent again. */
interface FieldChange {
  effect: ChangeEffect;
  what: string;
  consent?: boolean;
}

export function* compareObjects(before: ManifestDraft, after: ManifestDraft): Generator<Change> {
  const old = new Map([...entriesOf(before.objects)].map(([, object]) => [object.apiName, object]));
  const names = new Set<string>();
  for (const [i, object] of entriesOf(after.objects)) {
    if (object.apiName === undefined) continue;
    names.add(object.apiName);
    const at = pointer('objects', i);
    const previous = old.get(object.apiName);
    if (!previous) {
      const message = `The object "${object.apiName}" is new.`;
      yield { kind: 'added', pointer: at, message, effect: 'safe', consent: true };
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
    const message = `The object "${name}" is removed with its records.`;
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
  const shown = otherExposures(
    before,
    after.map(([, field]) => field),
  );
  for (const [j, field] of after) {
    const place = `${at}/fields/${j}`;
    const previous = old.get(field.apiName);
    const title = `${object}.${field.apiName}`;
    if (!previous) {
      const blocks = field.required === true && !hasDefault(field);
      const consent = isExposing(field);
      const what = `is new${blocks ? ', required and has no default' : ''}${consent ? ` and ${EXPOSES}` : ''}`;
      const message = `The field ${title} ${what}.`;
      yield { kind: 'added', pointer: place, message, effect: blocks ? 'breaking' : 'safe', consent };
      continue;
    }
    for (const { effect, what, consent = false } of fieldChanges(previous, field)) {
      yield { kind: 'changed', pointer: place, message: `The field ${title} ${what}.`, effect, consent };
    }
    if (shown.has(field.apiName)) {
      const message = `The field ${title} now exposes values from fields its readers can't see.`;
      yield { kind: 'changed', pointer: place, message, effect: 'safe', consent: true };
    }
  }
  for (const field of before) {
    if (names.has(field.apiName)) continue;
    const effect = field.type === 'formula' ? 'breaking' : 'destructive';
    const message = `The field ${object}.${field.apiName} is removed${effect === 'destructive' ? ' with its values' : ''}.`;
    yield { kind: 'removed', pointer: `${at}/fields`, message, effect, consent: false };
  }
}

function* fieldChanges(before: NamedField, after: NamedField): Generator<FieldChange> {
  if (before.type !== after.type) {
    yield { effect: typeEffect(before.type, after.type), what: `changes from ${before.type} to ${after.type}` };
  }
  if (before.referenceTarget !== after.referenceTarget)
    yield { effect: 'destructive', what: 'refers to another object' };
  if (after.type === 'reference' && onDeleteOf(before) !== onDeleteOf(after)) {
    const effect = onDeleteOf(after) === 'cascade' ? 'breaking' : 'safe';
    yield { effect, what: `now uses onDelete: ${onDeleteOf(after)}` };
  }
  if (after.required === true && before.required !== true) yield { effect: 'breaking', what: 'is now required' };
  else if (after.required === true && hasDefault(before) && !hasDefault(after)) {
    yield { effect: 'breaking', what: 'is required and no longer has a default' };
  }
  if (after.is_unique === true && before.is_unique !== true) yield { effect: 'breaking', what: 'is now unique' };
  const kept = new Set(optionValues(after));
  const lost = optionValues(before).filter((value) => !kept.has(value));
  if (lost.length > 0) yield { effect: 'breaking', what: `loses ${optionNames(lost)}` };
  yield* ruleChanges(before, after);
  if (before.expression !== after.expression) yield { effect: 'safe', what: 'has another formula' };
  yield* exposure(before, after);
  yield* roleChanges('readable', before.readRoles, after.readRoles);
  yield* roleChanges('writable', before.writeRoles, after.writeRoles);
}

/** Changes in what a formula shows of fields that its readers cannot read. */
function* exposure(before: NamedField, after: NamedField): Generator<FieldChange> {
  if (isExposing(after) && !isExposing(before)) yield { effect: 'safe', what: EXPOSES, consent: true };
  if (isExposing(before) && !isExposing(after) && after.type === 'formula') {
    yield { effect: 'breaking', what: 'is readable only by roles that can read all its sources' };
  }
}

/** Stricter rules reject existing values; weaker ones do not. */
function* ruleChanges(before: NamedField, after: NamedField): Generator<FieldChange> {
  const [old, now] = [strictest(before), strictest(after)];
  const isStricter = [...now].some(([rule, value]) => {
    const known = old.get(rule);
    return known === undefined || (rule.startsWith('min') ? value > known : value < known);
  });
  if (isStricter) yield { effect: 'breaking', what: 'has stricter validation rules' };
  else if (!isSame([...old].sort(), [...now].sort())) yield { effect: 'safe', what: 'has weaker validation rules' };
}

/** The limits of a field by rule, the strictest of each kind; each pattern is a separate rule. */
function strictest(field: NamedField): Map<string, number> {
  const bounds = new Map<string, number>();
  for (const [, { type, value }] of entriesOf(field.validationRules)) {
    if (type === undefined || value === undefined) continue;
    if (typeof value === 'string') bounds.set(`${type} ${value}`, 0);
    else if (type.startsWith('min')) bounds.set(type, Math.max(value, bounds.get(type) ?? value));
    else bounds.set(type, Math.min(value, bounds.get(type) ?? value));
  }
  return bounds;
}

type Roles = readonly (string | undefined)[];

/** An empty list means everyone. */
function* roleChanges(right: 'readable' | 'writable', before: Roles = [], after: Roles = []): Generator<FieldChange> {
  const [old, now] = [new Set(before), new Set(after)];
  const loses = now.size > 0 && (old.size === 0 || [...old].some((role) => !now.has(role)));
  const gains = old.size > 0 && (now.size === 0 || [...now].some((role) => !old.has(role)));
  if (loses) yield { effect: 'breaking', what: `is ${right} by ${gains ? 'other' : 'fewer'} roles` };
  else if (gains) yield { effect: 'safe', what: `is ${right} by more roles` };
}

export function typeEffect(before: string, after: string): ChangeEffect {
  const [from, to] = [fieldTypes.get(before), fieldTypes.get(after)];
  // Longer or multi-line values stay readable but cannot be written again.
  if (from?.storage && from.storage === to?.storage) return from.bound! > to.bound! ? 'breaking' : 'safe';
  // A formula stores nothing that could be lost.
  return before === 'formula' ? 'breaking' : 'destructive';
}

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

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
