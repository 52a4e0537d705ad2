import { type FieldDefinition, formulaFieldTypes } from '@crm/fields';
import { checkFormulaSet } from '@crm/formula';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { namedFields } from '../package-model.js';
import { asSentence } from '../problem.js';

export const OBJ_003: Check = {
  id: 'OBJ-003',
  title: 'Formulas parse, type-check, have no cycle and stay within the limits',
  severity: 'blocker',
  doc: {
    why: 'A formula is computed whenever a record is read. A formula that passes this check can never fail then.',
    fix: 'Correct the formula at the reported position (counted in characters from 0). Formulas can read the fields of their own object, including other formulas, but not in a cycle.',
  },
  run: ({ manifest }) =>
    [...entriesOf(manifest.objects)].flatMap(([i, object]) => {
      const fields = namedFields(object);
      const formulas = fields.filter(([, field]) => field.type === 'formula' && field.expression !== undefined);
      const sources = new Map(formulas.map(([, field]) => [field.apiName, field.expression!]));
      const plain = fields.map(([, field]) => field as FieldDefinition).filter((field) => field.type !== 'formula');
      const { formulas: checked } = checkFormulaSet(sources, formulaFieldTypes(plain));
      return formulas.flatMap(([j, field]) =>
        (checked.get(field.apiName)?.errors ?? []).map(({ message, position }) => ({
          pointer: pointer('objects', i, 'fields', j, 'expression'),
          message: `At ${position}: ${asSentence(message)}`,
        })),
      );
    }),
};
