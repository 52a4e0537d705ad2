import type { Check } from '../check.js';
import { entriesOf, type ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { isCoreObject } from '../package-model.js';
import type { Problem } from '../problem.js';
import { API_NAME_PATTERN } from '../schema/shapes.js';

const API_NAME = new RegExp(API_NAME_PATTERN);

/** Fields of every record and keywords of the formula language, regardless of case. */
const RESERVED = new Set(['id', 'version', 'createdat', 'updatedat', 'and', 'or', 'not', 'true', 'false', 'null']);

/** Prefix of the names of objects in a sandbox installation. */
const SANDBOX_PREFIX = 'sbx_';

export const OBJ_001: Check = {
  id: 'OBJ-001',
  title: 'Api names are valid, unique and not reserved',
  severity: 'blocker',
  doc: {
    why: 'Api names become paths and keys of the API and names in formulas. They must not hide existing names: core objects, the fields of every record, keywords of the formula language, the prefix of sandbox installations.',
    fix: 'Use at most 40 lower-case letters, digits and underscores, beginning with a letter. Declare each object once, and each field once in its object.',
  },
  *run({ manifest }) {
    yield* objectNames(manifest);
    yield* fieldNames(manifest);
  },
};

function* objectNames(manifest: ManifestDraft): Generator<Problem> {
  const seen = new Set<string>();
  for (const [i, { apiName }] of entriesOf(manifest.objects)) {
    if (apiName === undefined) continue;
    const at = pointer('objects', i, 'apiName');
    const problem =
      nameProblem(apiName) ??
      (isCoreObject(apiName) ? `"${apiName}" is the name of a core object.` : undefined) ??
      (apiName.startsWith(SANDBOX_PREFIX)
        ? `"${SANDBOX_PREFIX}" is the prefix of sandbox installations.`
        : undefined) ??
      (seen.has(apiName) ? `The object "${apiName}" is declared twice.` : undefined);
    if (problem !== undefined) yield { pointer: at, message: problem };
    seen.add(apiName);
  }
}

function* fieldNames(manifest: ManifestDraft): Generator<Problem> {
  for (const [i, object] of entriesOf(manifest.objects)) {
    const seen = new Set<string>();
    for (const [j, { apiName }] of entriesOf(object.fields)) {
      if (apiName === undefined) continue;
      const problem =
        nameProblem(apiName) ??
        (seen.has(apiName) ? `The field "${apiName}" is declared twice in this object.` : undefined);
      if (problem !== undefined) yield { pointer: pointer('objects', i, 'fields', j, 'apiName'), message: problem };
      seen.add(apiName);
    }
  }
}

function nameProblem(name: string): string | undefined {
  if (RESERVED.has(name.toLowerCase())) return `"${name}" is a reserved name.`;
  return API_NAME.test(name) ? undefined : `"${name}" is not a valid api name.`;
}
