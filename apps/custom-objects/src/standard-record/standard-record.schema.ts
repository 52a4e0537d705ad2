import type { JsonSchema } from '@crm/http';
import type { ObjectDefinition, StoredField } from '../object/object-definition.js';

/** JSON Schema of a record as it is answered. */
export function recordSchema(object: ObjectDefinition): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    id: { type: 'string', format: 'uuid' },
    version: { type: 'integer', minimum: 1 },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    ...fieldSchemas(object),
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** JSON Schema of what can be written. */
export function inputSchema(object: ObjectDefinition, mode: 'create' | 'update'): JsonSchema {
  const required = object.fields.filter((field) => field.required && !field.default).map(({ apiName }) => apiName);
  return {
    type: 'object',
    properties: fieldSchemas(object),
    ...(mode === 'create' && { required }),
    additionalProperties: false,
  };
}

const fieldSchemas = ({ fields }: ObjectDefinition): Record<string, JsonSchema> =>
  Object.fromEntries(fields.map((field) => [field.apiName, fieldSchema(field)]));

/** JSON Schema of a field; one that is not required can be null. */
function fieldSchema(field: StoredField): JsonSchema {
  const { type, ...rest } = valueSchema(field);
  return field.required ? { type, ...rest } : { type: [type, 'null'], ...rest };
}

function valueSchema({ type, options, validationRules = [] }: StoredField): JsonSchema & { type: 'string' | 'number' } {
  switch (type) {
    case 'number':
      return { type: 'number' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'reference':
      return { type: 'string', format: 'uuid' };
    case 'picklist':
      return { type: 'string', enum: options };
    default: {
      const longest = validationRules.find((rule) => rule.type === 'maxLength')?.value;
      return { type: 'string', ...(longest !== undefined && { maxLength: Number(longest) }) };
    }
  }
}
