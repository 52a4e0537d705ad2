import { FIELD_TYPE_NAMES, REFERENCE_DELETIONS, RULE_TYPE_NAMES } from '@crm/fields';
import Type from 'typebox';
import { API_NAME_PATTERN, closed, textOr } from './shapes.js';

export const ValidationRule = closed({
  type: Type.Enum([...RULE_TYPE_NAMES]),
  value: Type.Unsafe<number | string>({ type: ['number', 'string'] }),
  message: Type.Optional(
    Type.String({ description: 'Shown instead of the platform’s own text.', examples: ['Hours cannot be negative.'] }),
  ),
});

export const Field = closed({
  apiName: Type.String({ pattern: API_NAME_PATTERN, examples: ['hourly_rate'] }),
  label: Type.Optional(Type.String({ examples: ['Hourly rate'] })),
  description: Type.Optional(Type.String()),
  type: Type.Enum([...FIELD_TYPE_NAMES]),
  required: Type.Optional(Type.Boolean()),
  is_unique: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.Unknown()),
  options: Type.Optional(
    Type.Array(
      textOr(
        closed({ value: Type.String({ examples: ['done'] }), label: Type.String({ examples: ['Done'] }) }),
        'A value, or a value and the label shown for it.',
      ),
    ),
  ),
  referenceTarget: Type.Optional(
    Type.String({
      description: '`lead`, `contact`, `company`, `opportunity` or `custom:<apiName>`.',
      examples: ['contact'],
    }),
  ),
  onDelete: Type.Optional(
    Type.Enum([...REFERENCE_DELETIONS], {
      description:
        'What happens to the record when the one that it refers to is deleted; `set_null` by default, for a required reference `restrict`.',
    }),
  ),
  indexed: Type.Optional(
    Type.Boolean({
      description:
        'Lists are often filtered or sorted by the field. An object that says so of some fields has indexes for these, for unique fields and for references only.',
    }),
  ),
  validationRules: Type.Optional(Type.Array(ValidationRule)),
  readRoles: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Roles that may read, `app:<key>` for an app; empty means everyone.',
      examples: [['admin']],
    }),
  ),
  writeRoles: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Roles that may write, `app:<key>` for an app; empty means everyone.',
      examples: [['admin']],
    }),
  ),
  expression: Type.Optional(
    Type.String({ description: 'The formula of a formula field.', examples: ['hours * hourly_rate'] }),
  ),
  exposes: Type.Optional(
    Type.Boolean({ description: 'Lets a formula show a value derived from fields its reader may not read.' }),
  ),
});

export const CustomObject = closed({
  apiName: Type.String({ pattern: API_NAME_PATTERN, examples: ['site_visit'] }),
  label: Type.Optional(Type.String({ examples: ['Site visit'] })),
  pluralLabel: Type.Optional(Type.String({ examples: ['Site visits'] })),
  description: Type.Optional(Type.String()),
  nameField: Type.Optional(
    Type.String({ description: 'The field that names a record to its readers.', examples: ['title'] }),
  ),
  fields: Type.Array(Field),
});
