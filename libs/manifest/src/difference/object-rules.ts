import { typeEffect } from '../compare-objects.js';
import { entriesOf } from '../example.js';
import { isExposing, otherExposures } from '../exposed-fields.js';
import { hasDefault, type NamedField, namedFields } from '../package-model.js';
import type { Packages, Rule, Verdict } from './rules.js';
import type { RawDifference } from './tree.js';

const FIELD = 'objects/*/fields/*';

export const objectRules: readonly Rule[] = [
  [
    'objects/*',
    ({ kind, after }) => {
      if (kind === 'removed') return ['loss', 'It is removed with its records.'];
      return fieldsOf(after).some(isExposing) ? EXPOSES : 'behaviour';
    },
  ],
  ...['label', 'pluralLabel', 'description', 'fields'].map((member): Rule => [`objects/*/${member}`, 'text']),
  [FIELD, fieldVerdict],
  [`${FIELD}/label`, 'text'],
  [`${FIELD}/description`, 'text'],
  [
    `${FIELD}/type`,
    ({ before, after }) =>
      typeEffect(String(before), String(after)) === 'safe' ? 'behaviour' : ['loss', "Stored values don't fit."],
  ],
  [`${FIELD}/referenceTarget`, () => ['loss', "Stored references don't fit."]],
  [
    `${FIELD}/onDelete`,
    ({ after }) =>
      after === 'cascade' ? ['loss', 'Records are now deleted with the one they refer to.'] : 'behaviour',
  ],
  [`${FIELD}/required`, ({ after }) => (after === true ? ['loss', 'Writes without a value will fail.'] : 'behaviour')],
  [`${FIELD}/is_unique`, ({ after }) => (after === true ? ['loss', 'Writes of equal values will fail.'] : 'behaviour')],
  [
    `${FIELD}/options/*`,
    ({ kind }) => (kind === 'removed' ? ['loss', 'Stored values are no longer among the options.'] : 'behaviour'),
  ],
  [`${FIELD}/options/*/label`, 'text'],
  [`${FIELD}/options`, 'text'],
  [
    `${FIELD}/validationRules/*`,
    ({ kind }) => (kind === 'added' ? ['loss', 'Values that were valid may be rejected.'] : 'behaviour'),
  ],
  [`${FIELD}/validationRules/*/message`, 'text'],
  [`${FIELD}/readRoles`, (difference) => rolesVerdict(difference, 'read')],
  [`${FIELD}/writeRoles`, (difference) => rolesVerdict(difference, 'write')],
  [
    `${FIELD}/exposes`,
    ({ after }) => (after === true ? EXPOSES : ['loss', 'Only people who can read all its sources can read it.']),
  ],
  [`${FIELD}/expression`, expressionVerdict],
];

const EXPOSES = ['access', "A formula exposes values from fields its readers can't see."] as const;

function fieldVerdict({ kind, steps, after }: RawDifference, packages: Packages): Verdict {
  if (kind === 'removed') return ['loss', 'It is removed with its values.'];
  const field = after as Partial<NamedField>;
  if (field.type === 'formula' && (field.exposes === true || showsOtherValues(steps, packages))) return EXPOSES;
  if (field.required === true && !hasDefault(field)) return ['loss', 'Writes without a value will fail.'];
  return 'behaviour';
}

function expressionVerdict({ steps }: RawDifference, packages: Packages): Verdict {
  const [, object, , name] = steps;
  const exposes = (fieldsByObject(packages.after).get(object ?? '') ?? []).some(
    (field) => field.apiName === name && isExposing(field),
  );
  return exposes || showsOtherValues(steps, packages) ? EXPOSES : 'behaviour';
}

const otherValues = new WeakMap<Packages, Map<string, boolean>>();

/** Returns whether a formula of the object shows other restricted values: what changed may be a formula on the way to them. */
function showsOtherValues([, object = '']: readonly string[], packages: Packages): boolean {
  const known = otherValues.get(packages) ?? new Map<string, boolean>();
  otherValues.set(packages, known);
  const found = known.get(object);
  if (found !== undefined) return found;
  const fields = (manifest: Packages['after']) => fieldsByObject(manifest).get(object) ?? [];
  const shows = otherExposures(fields(packages.before), fields(packages.after)).size > 0;
  known.set(object, shows);
  return shows;
}

const fieldsOfPackages = new WeakMap<Packages['after'], ReadonlyMap<string, readonly NamedField[]>>();

function fieldsByObject(manifest: Packages['after']): ReadonlyMap<string, readonly NamedField[]> {
  const known = fieldsOfPackages.get(manifest);
  if (known) return known;
  const fields = new Map<string, readonly NamedField[]>();
  for (const [, object] of entriesOf(manifest.objects)) {
    if (object.apiName !== undefined && !fields.has(object.apiName)) fields.set(object.apiName, fieldsOf(object));
  }
  fieldsOfPackages.set(manifest, fields);
  return fields;
}

const fieldsOf = (object: unknown): NamedField[] =>
  namedFields((object ?? {}) as Parameters<typeof namedFields>[0]).map(([, field]) => field);

/** An empty list, like none, means everyone. */
function rolesVerdict({ before = [], after = [] }: RawDifference, right: 'read' | 'write'): Verdict {
  const [old, now] = [before as readonly string[], after as readonly string[]];
  const widens = old.length > 0 && (now.length === 0 || now.some((role) => !old.includes(role)));
  if (widens) return ['access', now.length === 0 ? `Everyone can ${right} it.` : `More roles can ${right} it.`];
  return ['loss', `Fewer roles can ${right} it.`];
}
