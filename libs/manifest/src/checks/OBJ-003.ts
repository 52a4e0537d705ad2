import { type FieldDefinition, formulaFieldTypes } from '@crm/fields';
import { checkFormulaSet } from '@crm/formula';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { namedFields } from '../package-model.js';
import { asSentence } from '../problem.js';

export const OBJ_003: Check = {
  id: 'OBJ-003',
  title: 'Formulas parse, type-check, have no cycle and keep the limits',
  severity: 'blocker',
  doc: {
    why: 'A formula is computed whenever a record is read. What passes here can never fail there.',
    fix: 'Correct the formula at the position that is named (counted in characters from 0). Formulas may read the fields of their own object, other formulas among them, but not in a circle.',
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
