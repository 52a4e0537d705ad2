import { checkDefinition, type FieldDefinition, PatternBudget } from '@crm/fields';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { namedFields } from '../package-model.js';
import { asSentence } from '../problem.js';

export const OBJ_002: Check = {
  id: 'OBJ-002',
  title: 'Field rules are consistent',
  severity: 'blocker',
  doc: {
    why: 'A field with contradictory settings would reject every value or none: a picklist without options, a reference without a target, a rule that does not fit the type, a pattern that the linear-time engine does not accept, a default that violates the field’s own rules.',
    fix: 'Correct the reported field. Patterns use the syntax of RE2: no look-around and no back references.',
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
        const place = fields[Number(index)]?.[0] ?? 0;
        return {
          pointer: [pointer('objects', i, 'fields', place), ...rest].join('/'),
          message: asSentence(problem.detail),
        };
      });
    });
  },
};
