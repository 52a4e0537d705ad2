import Type, { type Static, type TSchema } from 'typebox';
import type { ServiceName } from '../services.js';

/** One version of one event: its name, who emits it and the schema of `data`. */
export interface EventDefinition<Name extends string = string, Data extends TSchema = TSchema> {
  readonly name: Name;
  readonly version: number;
  readonly producer: ServiceName;
  readonly data: Data;
  /** `dataschema` of the envelope; names the event and its version. */
  readonly dataschema: string;
}

export function defineEvent<Name extends string, Data extends TSchema>(definition: {
  name: Name;
  version: number;
  producer: ServiceName;
  data: Data;
}): EventDefinition<Name, Data> {
  return { ...definition, dataschema: `urn:crm:event:${definition.name}:v${definition.version}` };
}

export type EventData<E extends EventDefinition> = Static<E['data']>;

/** `data` of a created or deleted record: the record, or its last state. */
export const recordData = <R extends TSchema>(record: R) => Type.Object({ record });

/** `data` of an updated record: the record, the names of the changed fields, and their previous values. */
export const changedRecordData = <R extends TSchema>(record: R) =>
  Type.Object({
    record,
    changed: Type.Array(Type.String()),
    previous: Type.Record(Type.String(), Type.Unknown()),
    /** Set when both states together are too long for a message: `previous` is then empty. */
    previousOmitted: Type.Optional(Type.Literal(true)),
  });
