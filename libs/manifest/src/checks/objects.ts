import { ANY_APP } from '@crm/contracts';
import { checkDefinition, type FieldDefinition, formulaFieldTypes, onDeleteOf, PatternBudget } from '@crm/fields';
import { checkFormulaSteps, inPieces, nextTurn } from '@crm/formula';
import type { Check } from '../check.js';
import { compareManifests } from '../compare.js';
import { entriesOf, type ManifestDraft } from '../example.js';
import { openedFields } from '../exposed-fields.js';
import { pointer } from '../json-pointer.js';
import { hasDefault, isCoreObject, type NamedField, namedFields } from '../package-model.js';
import { advice, asSentence, type Problem } from '../problem.js';
import type { Manifest } from '../schema/manifest.js';
import { API_NAME_PATTERN } from '../schema/objects.js';

const API_NAME = new RegExp(API_NAME_PATTERN);

/** Fields of every record and keywords of the formula language, regardless of case. */
const RESERVED = new Set(['id', 'version', 'createdat', 'updatedat', 'and', 'or', 'not', 'true', 'false', 'null']);

/** Members that some answers add to a record. An app that has published such a field keeps it; offline nobody knows. */
const ADDED_MEMBERS = new Set(['deleted', 'expanded', 'object']);

/** Prefix of the names of objects in a sandbox installation. */
const SANDBOX_PREFIX = 'sbx_';

export const OBJ_001: Check = {
  id: 'OBJ-001',
  title: 'API names are valid, unique, and not reserved',
  severity: 'blocker',
  doc: {
    why: "API names become paths and keys in the API and names in formulas. They can't hide existing names: standard objects, the fields that every record and response has, keywords of the formula language, and the prefix of sandbox installations.",
    fix: 'Use up to 40 lower-case letters, digits, and underscores, starting with a letter. Declare each object once, and each field once per object.',
  },
  async run(context) {
    return nameProblems(context.manifest, await context.publishedManifest());
  },
};

function* nameProblems(manifest: ManifestDraft, published: Manifest | null | undefined): Generator<Problem> {
  yield* objectNames(manifest);
  yield* fieldNames(manifest, published === undefined ? undefined : (published?.objects ?? []));
}

function* objectNames(manifest: ManifestDraft): Generator<Problem> {
  const seen = new Set<string>();
  for (const [i, { apiName }] of entriesOf(manifest.objects)) {
    if (apiName === undefined) continue;
    const at = pointer('objects', i, 'apiName');
    const problem =
      nameProblem(apiName) ??
      (isCoreObject(apiName) ? `"${apiName}" is the name of a standard object. Choose another name.` : undefined) ??
      (apiName.startsWith(SANDBOX_PREFIX)
        ? `"${SANDBOX_PREFIX}" is the prefix of sandbox installations. Choose another name.`
        : undefined) ??
      (seen.has(apiName) ? `The object "${apiName}" is declared twice.` : undefined);
    if (problem !== undefined) yield { pointer: at, message: problem };
    seen.add(apiName);
  }
}

function* fieldNames(manifest: ManifestDraft, published: Manifest['objects']): Generator<Problem> {
  for (const [i, object] of entriesOf(manifest.objects)) {
    const kept = published?.find(({ apiName }) => apiName === object.apiName)?.fields.map(({ apiName }) => apiName);
    const seen = new Set<string>();
    for (const [j, { apiName }] of entriesOf(object.fields)) {
      if (apiName === undefined) continue;
      const problem =
        nameProblem(apiName) ??
        (published && ADDED_MEMBERS.has(apiName) && !kept?.includes(apiName) ? reserved(apiName) : undefined) ??
        (seen.has(apiName) ? `The field "${apiName}" is declared twice in this object.` : undefined);
      if (problem !== undefined) yield { pointer: pointer('objects', i, 'fields', j, 'apiName'), message: problem };
      seen.add(apiName);
    }
  }
}

const reserved = (name: string) => `"${name}" is reserved. Choose another name.`;

function nameProblem(name: string): string | undefined {
  if (RESERVED.has(name.toLowerCase())) return reserved(name);
  return API_NAME.test(name)
    ? undefined
    : `"${name}" isn't a valid API name. Use lower-case letters, digits, and underscores, starting with a letter, up to 40 characters.`;
}

export const OBJ_002: Check = {
  id: 'OBJ-002',
  title: 'Field rules are consistent',
  severity: 'blocker',
  doc: {
    why: "A field with contradictory settings would reject every value or none: a picklist without options, a reference without a target, a rule that doesn't fit the type, an unsupported pattern, or a default that breaks the field's own rules.",
    fix: 'Fix the reported field. Patterns use RE2 syntax: no look-around or backreferences.',
  },
  run({ manifest }) {
    const budget = new PatternBudget();
    return [...entriesOf(manifest.objects)].flatMap(([i, object]) => {
      const fields = namedFields(object);
      // The draft contains no values of a wrong type, so what is left is a field definition.
      return checkDefinition(
        fields.map(([, field]) => field as FieldDefinition),
        budget,
      ).map((problem) => {
        const [, index = '', ...rest] = problem.pointer.split('/');
        const position = fields[Number(index)]?.[0] ?? 0;
        return {
          pointer: [pointer('objects', i, 'fields', position), ...rest].join('/'),
          message: asSentence(problem.detail),
        };
      });
    });
  },
};

export const OBJ_003: Check = {
  id: 'OBJ-003',
  title: 'Formulas parse, type-check, have no cycles, and stay within the limits',
  severity: 'blocker',
  doc: {
    why: 'A formula is computed whenever a record is read. A formula that passes this check never fails.',
    fix: 'Fix the formula at the reported column (counted in characters from 1). Formulas can read the fields of their own object, including other formulas, but not in a cycle.',
  },
  async run({ manifest }) {
    const problems: Problem[] = [];
    for (const [i, object] of entriesOf(manifest.objects)) {
      const fields = namedFields(object);
      const formulas = fields.filter(([, field]) => field.type === 'formula' && field.expression !== undefined);
      const sources = new Map(formulas.map(([, field]) => [field.apiName, field.expression!]));
      const plain = fields.map(([, field]) => field as FieldDefinition).filter((field) => field.type !== 'formula');
      const { formulas: checked } = await inPieces(checkFormulaSteps(sources, formulaFieldTypes(plain)));
      for (const [j, field] of formulas) {
        for (const { message, position } of checked.get(field.apiName)?.errors ?? []) {
          const at = pointer('objects', i, 'fields', j, 'expression');
          problems.push({ pointer: at, message: `Column ${position + 1}: ${asSentence(message)}` });
        }
      }
      await nextTurn();
    }
    return problems;
  },
};

export const OBJ_004: Check = {
  id: 'OBJ-004',
  title: 'Destructive changes to the published version are declared',
  severity: 'warning',
  doc: {
    why: "An upgrade affects existing records. Removing an object or a field, or changing a field's type, loses stored values.",
    fix: 'Keep the field, or list in `release.breaking` what is lost and what to do before upgrading.',
  },
  async run(context) {
    const published = await context.publishedManifest();
    if (published === undefined) return { skip: 'Only the server knows the published version.' };
    if (published === null) return [];
    const declared = (context.manifest.release?.breaking ?? []).some(
      (text) => text !== undefined && text.trim() !== '',
    );
    if (declared) return [];
    return compareManifests(published, context.manifest, context.addressPolicy)
      .filter((change) => change.effect === 'destructive')
      .map(({ pointer, message }) => ({
        pointer,
        message: `${message} List it in release.breaking, or undo the change.`,
      }));
  },
};

export const OBJ_005: Check = {
  id: 'OBJ-005',
  title: 'Field access is compatible with unique and required settings',
  severity: 'blocker',
  doc: {
    why: "A uniqueness conflict reveals that a value exists. Anyone who can write a unique field but not read it could guess its values one at a time; a default lets everyone who creates records do so. A required field without a default keeps users who can't write it from creating records; this is only advice.",
    fix: 'Unique field: add every role in `writeRoles` to `readRoles`, or remove `readRoles`; without `writeRoles`, remove `readRoles`. Required field: add a default, or remove `writeRoles`.',
  },
  *run({ manifest }) {
    for (const [i, object] of entriesOf(manifest.objects)) {
      for (const [j, field] of namedFields(object)) {
        const at = pointer('objects', i, 'fields', j);
        yield* revealedValues(field, at);
        if (field.required === true && isRestricted(field.writeRoles) && !hasDefault(field)) {
          const message = 'This field is required but not everyone can write it. Add a default or remove writeRoles.';
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
    const message =
      'This unique field can be written by everyone but read only by some. Remove readRoles, or limit writeRoles to the same roles.';
    yield { pointer: `${at}/readRoles`, message: `${message} A conflict would reveal its values.` };
    return;
  }
  if (hasDefault(field)) {
    const message = 'This unique field has a default, so everyone who creates a record writes it';
    yield {
      pointer: `${at}/readRoles`,
      message: `${message}. A conflict would reveal it to people who can't read it.`,
    };
  }
  const readers = new Set(field.readRoles);
  for (const [k, role] of entriesOf(field.writeRoles)) {
    // A bare `app` names nobody, and MAN-004 refuses it.
    if (role === ANY_APP || readers.has(role)) continue;
    const message = `This field is unique, and ${role} can write it but not read it. A conflict would reveal its values. Add ${role} to readRoles.`;
    yield { pointer: `${at}/writeRoles/${k}`, message };
  }
}

/** An empty list of roles means everyone. */
function isRestricted(roles: readonly (string | undefined)[] | undefined): boolean {
  return roles !== undefined && roles.length > 0;
}

const DELETION_TELLS = {
  restrict: "People who can't read it can't delete the referenced record, which tells them that a record refers to it.",
  cascade:
    'People who delete the referenced record without reading this field learn which records refer to it, because those are deleted, too.',
};

export const OBJ_007: Check = {
  id: 'OBJ-007',
  title: "Deletions don't reveal references that some people can't see",
  severity: 'warning',
  doc: {
    why: "A deletion follows the definition, whatever the caller can read. `restrict` rejects it while a record refers to the deleted one, and `cascade` deletes that record as well: both reveal the reference to people who can't read it. A required reference has `restrict` by default.",
    fix: 'Use `set_null`, which creates no new version and no event, or let everyone read the reference. If this is intended, leave it: the reviewer sees the warning.',
  },
  *run({ manifest }) {
    for (const [i, object] of entriesOf(manifest.objects)) {
      for (const [j, field] of namedFields(object)) {
        if (field.type !== 'reference' || !isRestricted(field.readRoles)) continue;
        const deletion = onDeleteOf(field as FieldDefinition);
        if (deletion === 'set_null') continue;
        const message = `Not everyone can read this reference. ${DELETION_TELLS[deletion]}`;
        yield { pointer: pointer('objects', i, 'fields', j, field.onDelete ? 'onDelete' : 'required'), message };
      }
    }
  },
};

export const OBJ_008: Check = {
  id: 'OBJ-008',
  title: "No formula shows field values to people who can't read the fields",
  severity: 'warning',
  doc: {
    why: "People who can't read every source field of a formula can read the formula if it has `exposes`. They learn what the formula reveals: a sum may be harmless, a copy is the value itself.",
    fix: 'If this is intended, leave it: the reviewer, the listing, and the admin who installs the app see which fields it opens. Otherwise remove `exposes`, or give the formula the `readRoles` of these fields.',
  },
  *run({ manifest }) {
    for (const [i, object] of entriesOf(manifest.objects)) {
      const fields = namedFields(object);
      const opened = openedFields(fields.map(([, field]) => field));
      for (const [j, { apiName }] of fields) {
        const names = opened.get(apiName);
        if (!names) continue;
        const message = `The formula opens ${names.join(', ')} to people who can't read ${names.length > 1 ? 'them' : 'it'}.`;
        yield { pointer: pointer('objects', i, 'fields', j, 'exposes'), message };
      }
    }
  },
};
