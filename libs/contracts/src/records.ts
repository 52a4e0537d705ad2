import Type, { type Static, type TNull, type TObject, type TSchema, type TUnion } from 'typebox';
import { CORE_OBJECTS, type CoreObject, type StandardField } from './objects.js';

/** Most characters of the value of an option that a workspace has of its own. */
export const MAX_OPTION = 80;

/** The fields of every record, whatever its object. */
export const RecordHead = Type.Object({
  id: Type.String({ format: 'uuid' }),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});

type FieldsOf<O extends CoreObject> = (typeof CORE_OBJECTS)[O]['fields'];

type ValueOf<F> = F extends { isOfWorkspace: true }
  ? string
  : F extends { options: infer Options }
    ? keyof Options & string
    : F extends { type: 'number' }
      ? number
      : string;
type ValueSchema<F> = Type.TUnsafe<ValueOf<F>>;
type FieldSchema<F> = F extends { required: true } ? ValueSchema<F> : TUnion<[ValueSchema<F>, TNull]>;

/** The schema of the records of a standard object. */
export type RecordSchema<O extends CoreObject> = TObject<
  (typeof RecordHead)['properties'] & { -readonly [Name in keyof FieldsOf<O>]: FieldSchema<FieldsOf<O>[Name]> }
>;

/** A record of a standard object. */
export type RecordOf<O extends CoreObject> = Static<RecordSchema<O>>;

function valueSchema(field: StandardField): TSchema {
  switch (field.type) {
    case 'number':
      return Type.Number();
    case 'date':
      return Type.String({ format: 'date' });
    case 'datetime':
      return Type.String({ format: 'date-time' });
    case 'reference':
      return Type.String({ format: 'uuid' });
    case 'picklist':
      return 'default' in field ? Type.Enum(Object.keys(field.options)) : Type.String({ maxLength: MAX_OPTION });
    default:
      return Type.String({ maxLength: field.maxLength });
  }
}

const fieldSchema = (field: StandardField): TSchema =>
  field.required ? valueSchema(field) : Type.Union([valueSchema(field), Type.Null()]);

export function recordSchema<O extends CoreObject>(object: O): RecordSchema<O> {
  const fields = Object.entries<StandardField>(CORE_OBJECTS[object].fields);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)]));
  return Type.Object({ ...RecordHead.properties, ...properties }) as unknown as RecordSchema<O>;
}

const CREATED = { version: 1, createdAt: '2026-03-01T09:30:00.000Z', updatedAt: '2026-03-01T09:30:00.000Z' };

/** A record for documentation. */
export function recordExample<O extends CoreObject>(object: O): RecordOf<O> {
  const { exampleId, fields } = CORE_OBJECTS[object];
  const values = Object.entries<StandardField>(fields).map(([name, { example }]) => [name, example]);
  return { id: exampleId, ...CREATED, ...Object.fromEntries(values) } as RecordOf<O>;
}

/** A record of a custom object: the fields of every record, and those that the object defines. */
export const CUSTOM_RECORD_EXAMPLE = {
  id: '019ca8d3-5e08-7c71-b2d4-9a6f3c1e7b85',
  ...CREATED,
  place: 'Hall 4',
  hours: 3,
};
