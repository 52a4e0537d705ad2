import { EVENTS } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import type { ValueType } from '@crm/formula';
import { type Draft, entriesOf } from './draft.js';
import { isPlatformEvent } from './package-model.js';
import type { ManifestTrigger } from './schema/manifest.js';

/** What is read of the JSON Schema of an event's data. */
interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/**
 * The types of the names that a condition reads: what the package declares in `payload`, and for an event of
 * the catalogue its data and, without the detour, the fields of its record. Any other name is untyped.
 */
export function conditionTypes(trigger: Draft<ManifestTrigger>): Map<string, ValueType> {
  const types = new Map<string, ValueType>();
  if (trigger.type === 'event' && trigger.event !== undefined && isPlatformEvent(trigger.event)) {
    const data = EVENTS[trigger.event].data as SchemaNode;
    // A key of the data goes before a field of the record with the same name.
    for (const node of [data.properties?.record, data]) {
      for (const [name, schema] of Object.entries(node?.properties ?? {})) types.set(name, schemaType(schema));
    }
  }
  for (const [, { name, type }] of entriesOf(trigger.payload))
    if (name !== undefined) types.set(name, payloadType(type));
  return types;
}

function payloadType(type: string | undefined): ValueType {
  if (type === 'boolean') return 'boolean';
  for (const [name, { formulaType }] of fieldTypes) {
    if (name === type && formulaType !== null) return formulaType;
  }
  return 'any';
}

/** The type of a scalar, null besides it or not; `any` for everything else. */
function schemaType(schema: SchemaNode): ValueType {
  if (schema.anyOf) {
    const [only, ...others] = schema.anyOf.filter((part) => part.type !== 'null');
    return only && others.length === 0 ? schemaType(only) : 'any';
  }
  if (schema.enum) return schema.enum.every((value) => typeof value === 'string') ? 'text' : 'any';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type !== 'string') return 'any';
  if (schema.format === 'date') return 'date';
  return schema.format === 'date-time' ? 'datetime' : 'text';
}
