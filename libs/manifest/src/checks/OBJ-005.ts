import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { namedFields } from '../package-model.js';
import type { Problem } from '../problem.js';

export const OBJ_005: Check = {
  id: 'OBJ-005',
  title: 'Field access does not contradict uniqueness and required values',
  severity: 'advice',
  doc: {
    why: 'A unique field tells by its refusals which values exist, also to those who may not read it. A required field that some may not write, and that has no default, keeps them from creating records at all.',
    fix: 'Open the reading of the unique field or drop its uniqueness; give the required field a default or open its writing.',
  },
  run: ({ manifest }) =>
    [...entriesOf(manifest.objects)].flatMap(([i, object]) =>
      namedFields(object).flatMap(([j, field]) => {
        const at = () => pointer('objects', i, 'fields', j);
        const problems: Problem[] = [];
        if (field.is_unique === true && isRestricted(field.readRoles)) {
          problems.push({
            pointer: `${at()}/readRoles`,
            message: 'The field is unique, but not everyone may read it.',
          });
        }
        if (field.required === true && isRestricted(field.writeRoles) && (field.default ?? null) === null) {
          const message = 'The field is required and has no default, but not everyone may write it.';
          problems.push({ pointer: `${at()}/writeRoles`, message });
        }
        return problems;
      }),
    ),
};

/** An empty list of roles means everyone. */
function isRestricted(roles: readonly (string | undefined)[] | undefined): boolean {
  return roles !== undefined && roles.length > 0;
}
