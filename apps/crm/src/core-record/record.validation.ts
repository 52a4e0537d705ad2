import { PlatformError } from '@crm/contracts';
import { type FieldDefinition, fieldTypes, type ValidationRule, validateRecord } from '@crm/fields';
import type { CoreField, CoreObjectDefinition } from '../core-object/core-object.js';

/** Canonical values by field name. */
export type Values = Record<string, unknown>;

/**
 * A phone number as people write it, with an extension or without. It is kept as written: numbers of leads come from
 * forms and business cards, and one that cannot be dialled from here is still better than none.
 */
const PHONE: ValidationRule = {
  type: 'regex',
  value: '^[0-9+(][0-9 ()./-]*[0-9]([ ,;]*([eE]xt[.]?|[xX]|#) ?[0-9]{1,8})?$',
  message: 'Must be a phone number, as in +49 30 123456',
};

/**
 * Judges what a caller wants to write, by the rules that custom objects follow too.
 * @param input the body
 * @param mode on `create` every field gets a value (its default, or null), on `update` only the given ones
 * @throws VALIDATION_FAILED with every wrong value at once
 */
export function validateValues(
  definition: CoreObjectDefinition,
  input: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
): Values {
  const { values, problems } = validateRecord(definition.fields.map(toFieldDefinition), input, mode);
  if (problems.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors: problems });
  return values;
}

/**
 * The value of a query parameter in the field's canonical form, or undefined when it does not fit the field. Text is
 * compared as it is: a filter looks for what is stored, so it need not be something that could be written.
 */
export function parseFieldValue(field: CoreField, text: string): unknown {
  const definition = toFieldDefinition(field);
  switch (field.type) {
    case 'number': {
      const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(number) ? number : undefined;
    }
    case 'date':
    case 'datetime':
    case 'reference':
    case 'user': {
      const parsed = fieldTypes.get(definition.type)?.parse(text, definition, {});
      return parsed?.ok ? parsed.value : undefined;
    }
    default:
      return text;
  }
}

/** The field in the terms of `@crm/fields`. */
function toFieldDefinition(field: CoreField): FieldDefinition {
  const head = { apiName: field.name, required: field.required, default: field.default };
  switch (field.type) {
    case 'picklist':
      return { ...head, type: 'picklist', options: field.options };
    case 'user':
      return { ...head, type: 'reference', referenceTarget: 'user' };
    case 'reference':
      return { ...head, type: 'reference', referenceTarget: field.targets[0] };
    case 'number':
    case 'date':
    case 'datetime':
      return { ...head, type: field.type };
    case 'phone':
      return { ...head, type: 'text', validationRules: [{ type: 'maxLength', value: field.maxLength }, PHONE] };
    default:
      return { ...head, type: field.type, validationRules: [{ type: 'maxLength', value: field.maxLength }] };
  }
}
