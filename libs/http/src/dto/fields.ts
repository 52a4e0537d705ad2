import { type DtoClass, declareField, type JsonSchema, type JsonType, type SchemaPart } from './schema.js';

/** What every field can say about itself. A field is required and not null unless it says otherwise. */
export interface FieldOptions {
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

export interface TextOptions extends FieldOptions {
  /** In Unicode code points, like `maxLength`. Default 1 for a required text, otherwise 0. */
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: RegExp;
}

export interface NumberOptions extends FieldOptions {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ListOptions extends FieldOptions {
  readonly minItems?: number;
  /** Default 100. */
  readonly maxItems?: number;
  readonly unique?: boolean;
}

/** Range of Postgres' `integer`, so that no accepted value can fail there. */
const INT4 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** Schemas of single values, for the items of a list: `@ListField(field.text({ maxLength: 50 }))`. */
export const field = {
  text: (options: TextOptions): JsonSchema =>
    build('string', options, {
      minLength: options.minLength ?? (options.optional || options.nullable ? 0 : 1),
      maxLength: options.maxLength,
      ...(options.pattern && { pattern: options.pattern.source }),
    }),
  /** At most 254 characters (RFC 5321, section 4.5.3.1, errata 1690). */
  email: (options: FieldOptions = {}): JsonSchema => build('string', options, { format: 'email', maxLength: 254 }),
  id: (options: FieldOptions = {}): JsonSchema => build('string', options, { format: 'uuid' }),
  url: (options: FieldOptions & { maxLength?: number } = {}): JsonSchema =>
    build('string', options, { format: 'uri', maxLength: options.maxLength ?? 2048 }),
  date: (options: FieldOptions = {}): JsonSchema => build('string', options, { format: 'date' }),
  /** RFC 3339 with an offset; years 0001 to 9999. */
  dateTime: (options: FieldOptions = {}): JsonSchema => build('string', options, { format: 'date-time' }),
  enum: (values: readonly string[], options: FieldOptions = {}): JsonSchema =>
    build('string', options, { enum: options.nullable ? [...values, null] : values }),
  integer: (options: NumberOptions = {}): JsonSchema =>
    build('integer', options, {
      minimum: options.minimum ?? INT4.minimum,
      maximum: options.maximum ?? INT4.maximum,
    }),
  number: (options: NumberOptions = {}): JsonSchema =>
    build('number', options, {
      ...(options.minimum !== undefined && { minimum: options.minimum }),
      ...(options.maximum !== undefined && { maximum: options.maximum }),
    }),
  boolean: (options: FieldOptions = {}): JsonSchema => build('boolean', options, {}),
  json: (options: FieldOptions = {}): JsonSchema => build('object', options, { additionalProperties: true }),
};

export const TextField = (options: TextOptions): PropertyDecorator => declare(field.text(options), options);
export const EmailField = (options: FieldOptions = {}): PropertyDecorator => declare(field.email(options), options);
/** A UUID in lower or upper case. */
export const IdField = (options: FieldOptions = {}): PropertyDecorator => declare(field.id(options), options);
/** An absolute http(s) URL; whether it may be called is for the address policy. */
export const UrlField = (options: FieldOptions & { maxLength?: number } = {}): PropertyDecorator =>
  declare(field.url(options), options);
export const DateField = (options: FieldOptions = {}): PropertyDecorator => declare(field.date(options), options);
export const DateTimeField = (options: FieldOptions = {}): PropertyDecorator =>
  declare(field.dateTime(options), options);
export const EnumField = (values: readonly string[], options: FieldOptions = {}): PropertyDecorator =>
  declare(field.enum(values, options), options);
/** A whole number; without bounds those of Postgres' `integer`. */
export const IntegerField = (options: NumberOptions = {}): PropertyDecorator =>
  declare(field.integer(options), options);
export const NumberField = (options: NumberOptions = {}): PropertyDecorator => declare(field.number(options), options);
export const BooleanField = (options: FieldOptions = {}): PropertyDecorator => declare(field.boolean(options), options);
/** A free JSON object. */
export const JsonField = (options: FieldOptions = {}): PropertyDecorator => declare(field.json(options), options);

/** An object described by another DTO class: `@ObjectField(() => WorkspaceInput)`. */
export const ObjectField = (dto: () => DtoClass, options: FieldOptions = {}): PropertyDecorator =>
  declare(dtoPart(dto, options), options);

/** A list: `@ListField(() => StepInput)` or `@ListField(field.enum(EVENT_NAMES), { minItems: 1 })`. */
export const ListField = (item: JsonSchema | (() => DtoClass), options: ListOptions = {}): PropertyDecorator =>
  declare(
    build('array', options, {
      items: typeof item === 'function' ? { dto: item } : item,
      ...(options.minItems !== undefined && { minItems: options.minItems }),
      maxItems: options.maxItems ?? 100,
      ...(options.unique && { uniqueItems: true }),
    }),
    options,
  );

function build(type: JsonType, options: FieldOptions, rest: JsonSchema): JsonSchema {
  return {
    type: options.nullable ? [type, 'null'] : type,
    ...rest,
    ...(options.description !== undefined && { description: options.description }),
    ...(options.example !== undefined && { examples: [options.example] }),
  };
}

const dtoPart = (dto: () => DtoClass, options: FieldOptions): SchemaPart => ({
  dto,
  ...(options.nullable && { nullable: true }),
  ...(options.description !== undefined && { description: options.description }),
});

function declare(schema: SchemaPart, options: FieldOptions): PropertyDecorator {
  return (prototype, property) =>
    declareField(prototype, String(property), { schema, optional: options.optional ?? false });
}
