import type { JsonSchema } from '@crm/http';
import type { CoreField, CoreObjectDefinition } from '../core-object/core-object.js';

/** JSON Schema of a record as it is answered. */
export function recordSchema(definition: CoreObjectDefinition): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    id: { type: 'string', format: 'uuid' },
    version: { type: 'integer', minimum: 1 },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    ...fieldSchemas(definition),
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** JSON Schema of what can be written. */
export function inputSchema(definition: CoreObjectDefinition, mode: 'create' | 'update'): JsonSchema {
  const required = definition.fields.filter((field) => field.required && !field.default).map(({ name }) => name);
  return {
    type: 'object',
    properties: fieldSchemas(definition),
    ...(mode === 'create' && { required }),
    additionalProperties: false,
  };
}

const fieldSchemas = (definition: CoreObjectDefinition): Record<string, JsonSchema> =>
  Object.fromEntries(definition.fields.map((field) => [field.name, fieldSchema(field)]));

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
