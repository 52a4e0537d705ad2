import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ServiceName } from '../services.js';

/** One version of one event: its name, who emits it, and the schema of `data`. */
export interface EventDefinition<Name extends string = string, Data extends TSchema = TSchema> {
  readonly name: Name;
  readonly version: number;
  readonly producer: ServiceName;
  /** What happened, for those who subscribe; without a full stop. */
  readonly description: string;
  readonly data: Data;
  /** Data that follows the schema, for documentation. */
  readonly example: Static<Data>;
  /** `dataschema` of the envelope; names the event and its version. */
  readonly dataschema: string;
}

export function defineEvent<Name extends string, Data extends TSchema>(
  name: Name,
  definition: Omit<EventDefinition<Name, Data>, 'dataschema' | 'name'>,
): EventDefinition<Name, Data> {
  return { name, ...definition, dataschema: `urn:crm:event:${name}:v${definition.version}` };
}

/** Makes the first versions of events that a service emits. */
export const eventsBy =
  (producer: ServiceName) =>
  <Name extends string, Data extends TSchema>(name: Name, description: string, data: Data, example: Static<Data>) =>
    defineEvent(name, { version: 1, producer, description, data, example });

export type EventData<E extends EventDefinition> = Static<E['data']>;

/** What an updated event carries besides the record. */
export const RecordChange = Type.Object({
  changed: Type.Array(Type.String(), { description: 'API names of the fields whose values changed' }),
  previous: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Their previous values, by API name',
  }),
  previousOmitted: Type.Optional(
    Type.Literal(true, { description: 'Set if both states are too long for one message; `previous` is then empty' }),
  ),
});

/** `data` of a created or deleted record: the record, or its last state. */
export const recordData = <R extends TSchema>(record: R) => Type.Object({ record });

/** A record of which only the id is certain. */
type Remains<R extends TSchema> = Partial<Static<R>> & { id: string };

const Erased = Type.Optional(
  Type.Literal(true, {
    description: 'Set if the record was permanently deleted: only its ID is left. Delete what you store about it',
  }),
);

/** `data` of a deleted record: its last state, or the id alone when it was erased. */
export const deletedRecordData = <R extends TObject>(record: R) =>
  Type.Object({
    record: Type.Unsafe<Remains<R>>(Type.Object(record.properties, { required: ['id'] })),
    erased: Erased,
  });

/** `data` of an updated record: the record, the names of the changed fields, and their previous values. */
export const changedRecordData = <R extends TSchema>(record: R) => Type.Object({ record, ...RecordChange.properties });

const customRecord = {
  object: Type.String({ description: 'API name of the object in the workspace' }),
  record: Type.Record(Type.String(), Type.Unknown(), { description: 'Only fields that every role can read' }),
};

/** `data` of a created or deleted record of a custom object. */
export const customRecordData = Type.Object(customRecord);

/** The same of a deleted one; `record` is its id alone when it was erased. */
export const deletedCustomRecordData = Type.Object({ ...customRecord, erased: Erased });

/** `data` of an updated record of a custom object; `changed` and `previous`, too, name only fields that every role can read. */
export const changedCustomRecordData = Type.Object({ ...customRecord, ...RecordChange.properties });

/**
 * Example of the data of an updated record.
 * @param before the record as it was; its version is one lower
 * @param changes the new values of some of its fields
 */
export function changedRecordExample<R extends { readonly version: number }>(
  before: R,
  changes: Partial<R>,
): { record: R; changed: string[]; previous: Record<string, unknown> } {
  const changed = Object.keys(changes) as (keyof R & string)[];
  return {
    record: { ...before, ...changes, version: before.version + 1 },
    changed,
    previous: Object.fromEntries(changed.map((name) => [name, before[name]])),
  };
}
