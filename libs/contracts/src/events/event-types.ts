import { EVENTS, type EventName } from './catalogue.js';

/** The types of values in conditions and filters, as the formula language names them. */
export type EventValueType = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'any';

/** The relevant part of the JSON Schema of an event's data. */
interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** The types of the names in an event's data and, directly, of the fields of its record. */
export function eventValueTypes(event: EventName): Map<string, EventValueType> {
  const data = EVENTS[event].data as SchemaNode;
  const types = new Map<string, EventValueType>();
  // A key of the data takes precedence over a field of the record with the same name.
  for (const node of [data.properties?.record, data]) {
    for (const [name, schema] of Object.entries(node?.properties ?? {})) types.set(name, valueType(schema));
  }
  return types;
}

/** The type of a scalar, nullable or not; `any` for everything else. */
function valueType(schema: SchemaNode): EventValueType {
  if (schema.anyOf) {
    const [only, ...others] = schema.anyOf.filter((part) => part.type !== 'null');
    return only && others.length === 0 ? valueType(only) : 'any';
  }
  if (schema.enum) return schema.enum.every((value) => typeof value === 'string') ? 'text' : 'any';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type !== 'string') return 'any';
  if (schema.format === 'date') return 'date';
  return schema.format === 'date-time' ? 'datetime' : 'text';
}
