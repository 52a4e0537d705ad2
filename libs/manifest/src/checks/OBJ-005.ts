import { ANY_APP } from '@crm/contracts';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { type NamedField, namedFields } from '../package-model.js';
import { advice, type Problem } from '../problem.js';

export const OBJ_005: Check = {
  id: 'OBJ-005',
  title: 'Field access does not contradict uniqueness and required values',
  severity: 'blocker',
  doc: {
    why: 'A conflict on a unique field reveals that a value exists. Whoever can write the field without reading it could find out its values by trying them, and so could everyone who creates records when the field has a default. A required field without a default keeps users who cannot write it from creating records at all; this is advice and does not reject the package.',
    fix: 'Let every role in `writeRoles` of a unique field also read it, with no `readRoles` or with all of these roles in `readRoles`; without `writeRoles` everyone writes the field, so everyone must read it. Give the required field a default or remove its `writeRoles`.',
  },
  *run({ manifest }) {
    for (const [i, object] of entriesOf(manifest.objects)) {
      for (const [j, field] of namedFields(object)) {
        const at = pointer('objects', i, 'fields', j);
        yield* revealedValues(field, at);
        if (field.required === true && isRestricted(field.writeRoles) && !hasDefault(field)) {
          const message = 'The field is required and has no default, but not everyone can write it.';
          yield advice(`${at}/writeRoles`, message);
        }
      }
    }
  },
};

/**
 * Users can have several roles, and any of the writing ones suffices to write: each of them must be a reading one. That is
 * also enough, because one reading role suffices to read.
 */
function* revealedValues(field: NamedField, at: string): Generator<Problem> {
  if (field.is_unique !== true || !isRestricted(field.readRoles)) return;
  if (!isRestricted(field.writeRoles)) {
    const message = 'The field is unique and everyone can write it, but not everyone can read it.';
    yield { pointer: `${at}/readRoles`, message: `${message} A conflict would reveal its values.` };
    return;
  }
  if (hasDefault(field)) {
    const message = 'The field is unique and has a default, which everyone writes who creates a record';
    yield {
      pointer: `${at}/readRoles`,
      message: `${message}. A conflict would reveal it to those who cannot read it.`,
    };
  }
  const readers = new Set(field.readRoles);
  for (const [k, role] of entriesOf(field.writeRoles)) {
    // A bare `app` names nobody, and MAN-004 refuses it.
    if (role === ANY_APP || readers.has(role)) continue;
    const message = `The field is unique, and ${role} can write it but not read it. A conflict would reveal its values.`;
    yield { pointer: `${at}/writeRoles/${k}`, message };
  }
}

function hasDefault(field: NamedField): boolean {
  return (field.default ?? null) !== null;
}

/** An empty list of roles means everyone. */
function isRestricted(roles: readonly (string | undefined)[] | undefined): boolean {
  return roles !== undefined && roles.length > 0;
}
