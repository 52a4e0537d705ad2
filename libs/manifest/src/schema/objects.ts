import { FIELD_TYPE_NAMES, REFERENCE_DELETIONS, RULE_TYPE_NAMES } from '@crm/fields';
import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TString } from 'typebox';

export function closed<T extends TProperties>(properties: T, description?: string): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

/**
 * A text or an object. One schema instead of a union, so that a wrong key inside the object is reported at its place.
 */
export function textOr<T extends TObject>(object: T, description: string) {
  const { type: _type, ...rest } = object as TObject & { type: string };
  return Type.Unsafe<string | Static<T>>({ ...rest, type: ['string', 'object'], description });
}

/** A text or a list of texts. */
export function textOrList(description: string, example: string) {
  return Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    items: { type: 'string' },
    description,
    examples: [example],
  });
}

/** One of several objects, distinguished by `type`: only the intended branch reports problems. */
export function byType<T extends TSchema[]>(branches: [...T], description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: 'object',
    discriminator: { propertyName: 'type' },
    oneOf: branches,
    description,
  });
}

export const optionalText = (options?: Parameters<typeof Type.String>[0]): TOptional<TString> =>
  Type.Optional(Type.String(options));

export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const TextByName = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

export const API_NAME_PATTERN = '^[a-z][a-z0-9_]{0,39}$';

/** Semantic Versioning 2.0.0, the expression suggested by its specification. */
export const SEMVER_PATTERN =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$';

const ValidationRule = closed({
  type: Type.Enum([...RULE_TYPE_NAMES]),
  value: Type.Unsafe<number | string>({ type: ['number', 'string'] }),
  message: optionalText({
    description: "Shown instead of the platform's own message.",
    examples: ['Hours cannot be negative.'],
  }),
});

const Field = closed({
  apiName: Type.String({ pattern: API_NAME_PATTERN, examples: ['hourly_rate'] }),
  label: optionalText({ examples: ['Hourly rate'] }),
  description: optionalText(),
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
  referenceTarget: optionalText({
    description: '`lead`, `contact`, `company`, `opportunity` or `custom:<apiName>`.',
    examples: ['contact'],
  }),
  onDelete: Type.Optional(
    Type.Enum([...REFERENCE_DELETIONS], {
      description:
        "What happens to this record when the one it refers to is deleted, whatever the caller's rights to this record are; `set_null` by default, `restrict` for a required reference.",
    }),
  ),
  indexed: Type.Optional(
    Type.Boolean({
      description:
        'Lists are often filtered or sorted by this field. If any field of an object has it, only these fields, unique fields, and references are indexed.',
    }),
  ),
  validationRules: Type.Optional(Type.Array(ValidationRule)),
  readRoles: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Roles that can read the field, `app:<key>` for an app; empty means everyone.',
      examples: [['admin']],
    }),
  ),
  writeRoles: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Roles that can write the field, `app:<key>` for an app; empty means everyone.',
      examples: [['admin']],
    }),
  ),
  expression: optionalText({ description: 'The formula of a formula field.', examples: ['hours * hourly_rate'] }),
  exposes: Type.Optional(
    Type.Boolean({ description: "Lets a formula show a value computed from fields its readers can't read." }),
  ),
});

export const CustomObject = closed({
  apiName: Type.String({ pattern: API_NAME_PATTERN, examples: ['site_visit'] }),
  label: optionalText({ examples: ['Site visit'] }),
  pluralLabel: optionalText({ examples: ['Site visits'] }),
  description: optionalText(),
  nameField: optionalText({ description: 'The field that names a record.', examples: ['title'] }),
  fields: Type.Array(Field),
});
