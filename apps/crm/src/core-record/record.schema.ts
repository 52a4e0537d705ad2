import type { JsonSchema } from '@crm/service-kit';
import type { CoreField, CoreObjectDefinition } from './core-object.js';

/** JSON Schema of a record as it is answered. */
export function recordSchema(definition: CoreObjectDefinition): JsonSchema {
  const fields = definition.fields.map((field): [string, JsonSchema] => [field.name, fieldSchema(field)]);
  const properties: Record<string, JsonSchema> = {
    id: { type: 'string', format: 'uuid' },
    version: { type: 'integer', minimum: 1 },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    ...Object.fromEntries(fields),
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** JSON Schema of a field; one that is not required can be null. */
function fieldSchema(field: CoreField): JsonSchema {
  const { type, ...rest } = valueSchema(field);
  return field.required ? { type, ...rest } : { type: [type, 'null'], ...rest };
}

function valueSchema(field: CoreField): JsonSchema & { type: 'string' | 'number' } {
  switch (field.type) {
    case 'number':
      return { type: 'number' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'reference':
    case 'user':
      return { type: 'string', format: 'uuid' };
    case 'picklist':
      return { type: 'string', enum: field.options };
    default:
      return { type: 'string', maxLength: field.maxLength };
  }
}
