import type { FieldProblem } from '@crm/contracts';
import { FORMATS } from './formats.js';
import { isDtoPart, type JsonSchema, type JsonType, type SchemaPart, schemaOf } from './schema.js';

/** Problems listed for one body; a sender with more of them has read enough. */
const MAX_PROBLEMS = 50;

/**
 * Checks a value against the schema of a DTO: the same object that is published in OpenAPI. Recursion ends with the
 * schema, not with the value, so a deep value cannot exhaust the stack.
 * @returns every problem found (at most 50), with JSON pointers (RFC 6901); empty if the value is valid
 */
export function validate(schema: SchemaPart, value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  checkPart(schema, value, '', (problem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  });
  return problems;
}

type Report = (problem: FieldProblem) => void;

/** Resolves a reference to a DTO class; a plain schema stays what it is. */
export function resolvePart(part: SchemaPart): JsonSchema {
  if (!isDtoPart(part)) return part;
  const schema = schemaOf(part.dto());
  if (!schema) throw new Error(`${part.dto().name} has no field decorators`);
  return part.nullable ? { ...schema, type: ['object', 'null'] } : schema;
}

function checkPart(part: SchemaPart, value: unknown, pointer: string, report: Report): void {
  const schema = resolvePart(part);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const names = types.map((type) => TYPE_NAMES[type]).join(' or ');
    report({ pointer, code: 'INVALID_TYPE', detail: `Must be ${names}`, params: { expected: types } });
    return;
  }
  if (value === null) return;
  if (schema.enum && !schema.enum.includes(value)) {
    const options = schema.enum.filter((option) => option !== null);
    report({ pointer, code: 'NOT_AN_OPTION', detail: `Must be one of ${options.join(', ')}`, params: { options } });
  } else if (typeof value === 'string') {
    checkText(schema, value, pointer, report);
  } else if (typeof value === 'number') {
    checkNumber(schema, value, pointer, report);
  } else if (Array.isArray(value)) {
    checkList(schema, value, pointer, report);
  } else if (typeof value === 'object') {
    checkObject(schema, value as Record<string, unknown>, pointer, report);
  }
}

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

function checkText(schema: JsonSchema, value: string, pointer: string, report: Report): void {
  const { minLength = 0, maxLength } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value, maxLength) > maxLength) {
    const detail = `Must have at most ${maxLength} characters`;
    report({ pointer, code: 'TOO_LONG', detail, params: { maximum: maxLength } });
    // A pattern or format is not tried on a text of any length.
    return;
  }
  if (codePoints(value, minLength) < minLength) {
    const detail = minLength === 1 ? 'Must not be empty' : `Must have at least ${minLength} characters`;
    report({ pointer, code: 'TOO_SHORT', detail, params: { minimum: minLength } });
    return;
  }
  if (schema.format && !FORMATS[schema.format].test(value)) {
    report({ pointer, code: 'INVALID_FORMAT', detail: `Must be ${FORMATS[schema.format].expected}` });
  } else if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value)) {
    report({ pointer, code: 'PATTERN_MISMATCH', detail: `Must match ${schema.pattern}` });
  }
}

/** Counts code points, but not beyond what is needed to compare with the limit. */
function codePoints(text: string, limit: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const pattern = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, pattern);
  return pattern;
}

function checkNumber(schema: JsonSchema, value: number, pointer: string, report: Report): void {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && value < minimum) {
    report({ pointer, code: 'TOO_SMALL', detail: `Must be at least ${minimum}`, params: { minimum } });
  } else if (maximum !== undefined && value > maximum) {
    report({ pointer, code: 'TOO_LARGE', detail: `Must be at most ${maximum}`, params: { maximum } });
  }
}

function checkList(schema: JsonSchema, value: readonly unknown[], pointer: string, report: Report): void {
  const { minItems = 0, maxItems, items } = schema;
  if (maxItems !== undefined && value.length > maxItems) {
    const detail = `Must have at most ${maxItems} items`;
    report({ pointer, code: 'TOO_MANY_ITEMS', detail, params: { maximum: maxItems } });
    return;
  }
  if (value.length < minItems) {
    const detail = `Must have at least ${minItems} items`;
    report({ pointer, code: 'TOO_FEW_ITEMS', detail, params: { minimum: minItems } });
  }
  if (items)
    value.forEach((item, index) => {
      checkPart(items, item, `${pointer}/${index}`, report);
    });
  if (schema.uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    report({ pointer, code: 'DUPLICATE_ITEMS', detail: 'Must not repeat an item' });
  }
}

function checkObject(schema: JsonSchema, value: Record<string, unknown>, pointer: string, report: Report): void {
  const { properties, required = [] } = schema;
  if (!properties) return;
  for (const name of required) {
    if (!Object.hasOwn(value, name)) {
      report({ pointer: `${pointer}/${escapePointer(name)}`, code: 'REQUIRED', detail: 'Is required' });
    }
  }
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(name)}`;
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (part) checkPart(part, member, at, report);
    else if (!schema.additionalProperties) report({ pointer: at, code: 'UNKNOWN_FIELD', detail: 'Is not known here' });
  }
}

/** A member's name as a part of a JSON pointer (RFC 6901, section 3). */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
