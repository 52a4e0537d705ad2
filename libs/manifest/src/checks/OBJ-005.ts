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
    why: 'Conflicts on a unique field reveal which values exist, even to users who cannot read the field. A required field without a default keeps users who cannot write it from creating records at all.',
    fix: 'Remove `readRoles` from the unique field or drop its uniqueness. Give the required field a default or remove its `writeRoles`.',
  },
  run: ({ manifest }) =>
    [...entriesOf(manifest.objects)].flatMap(([i, object]) =>
      namedFields(object).flatMap(([j, field]) => {
        const at = () => pointer('objects', i, 'fields', j);
        const problems: Problem[] = [];
        if (field.is_unique === true && isRestricted(field.readRoles)) {
          problems.push({
            pointer: `${at()}/readRoles`,
            message: 'The field is unique, but not everyone can read it, so a conflict would reveal its values.',
          });
        }
        if (field.required === true && isRestricted(field.writeRoles) && (field.default ?? null) === null) {
          const message = 'The field is required and has no default, but not everyone can write it.';
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
