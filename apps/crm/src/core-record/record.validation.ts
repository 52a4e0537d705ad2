import { type FieldProblem, PlatformError } from '@crm/contracts';
import { type FieldDefinition, fieldTypes, validateRecord } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import type { CoreField, CoreObjectDefinition } from './core-object.js';

/** Canonical values by field name. */
export type Values = Record<string, unknown>;

/** Judges what a caller wants to write, by the rules that custom objects follow too. */
@Injectable()
export class RecordValidation {
  constructor(private readonly tenants: TenantDirectory) {}

  /**
   * @param input the body: a JSON object of fields
   * @param mode on `create` every field gets a value (its default, or null), on `update` only the given ones
   * @throws MALFORMED_REQUEST when the body is no object; VALIDATION_FAILED with every wrong value at once
   */
  async validate(
    definition: CoreObjectDefinition,
    tenantId: string,
    input: unknown,
    mode: 'create' | 'update',
  ): Promise<Values> {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object.');
    }
    const given = input as Readonly<Record<string, unknown>>;
    const options = { defaultCountry: await this.countryFor(definition, tenantId, given) };
    const { values, problems } = validateRecord(definition.fields.map(toFieldDefinition), given, mode, options);
    const all: FieldProblem[] = [...problems, ...unstorableTexts(values)];
    if (all.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors: all });
    return values;
  }

  /** The tenant's country, asked for only when a phone number is written without one. */
  private async countryFor(
    definition: CoreObjectDefinition,
    tenantId: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    const national = definition.fields.some((field) => {
      const value = field.type === 'phone' ? input[field.name] : undefined;
      return typeof value === 'string' && !value.trimStart().startsWith('+');
    });
    return national ? ((await this.tenants.get(tenantId)).country ?? undefined) : undefined;
  }
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
    default:
      return { ...head, type: field.type, validationRules: [{ type: 'maxLength', value: field.maxLength }] };
  }
}

/** Postgres keeps no U+0000 in text, so it is refused here instead of failing there. */
function unstorableTexts(values: Values): FieldProblem[] {
  return Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([name]) => ({
      pointer: `/${name}`,
      code: 'INVALID_TEXT',
      detail: 'The text holds a character that cannot be stored (U+0000).',
    }));
}
