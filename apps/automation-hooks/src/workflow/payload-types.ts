import { EVENTS } from '@crm/contracts';
import type { ValueType } from '@crm/formula';
import type { Trigger } from './workflow.definition.js';

/** Types a payload key can be declared with, as formulas see them: those of fields, and `boolean` as JSON calls it. */
export const payloadTypes: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['text', 'text'],
  ['textarea', 'text'],
  ['number', 'number'],
  ['currency', 'number'],
  ['percent', 'number'],
  ['date', 'date'],
  ['datetime', 'datetime'],
  ['email', 'text'],
  ['phone', 'text'],
  ['url', 'text'],
  ['picklist', 'text'],
  ['multi_select', 'multi_select'],
  ['checkbox', 'boolean'],
  ['reference', 'text'],
  ['boolean', 'boolean'],
]);

/**
 * Types of the names a condition can read: what the author declared, and for an event what the catalogue says of its
 * data. Any other name is untyped.
 */
export function conditionTypes(trigger: Trigger): Map<string, ValueType> {
  const types = new Map<string, ValueType>();
  if (trigger.type === 'event') {
    const data = EVENTS[trigger.event].data as SchemaNode;
    for (const node of [data.properties?.record, data]) {
      for (const [name, schema] of Object.entries(node?.properties ?? {})) {
        const type = typeOf(schema);
        if (type) types.set(name, type);
        else types.delete(name);
      }
    }
  }
  for (const { name, type } of trigger.payload ?? []) types.set(name, payloadTypes.get(type) ?? 'any');
  return types;
}

/** What is read of a JSON schema. */
interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

function typeOf(schema: SchemaNode): ValueType | undefined {
  if (schema.anyOf) {
    const [only, ...others] = schema.anyOf.filter((part) => part.type !== 'null');
    return only && others.length === 0 ? typeOf(only) : undefined;
  }
  if (schema.enum) return schema.enum.every((value) => typeof value === 'string') ? 'text' : undefined;
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date') return 'date';
      return schema.format === 'date-time' ? 'datetime' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return undefined;
  }
}
