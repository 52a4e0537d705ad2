import { Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import {
  atLeast,
  atMost,
  everyItem,
  matching,
  maxItems,
  maxLength,
  minItems,
  minLength,
  noDuplicates,
  ofFormat,
  ofType,
  oneOf,
  type Rule,
  type ValueType,
} from './rules.js';
import { type DtoClass, declareField, type JsonSchema, type SchemaPart, type StringFormat } from './schema.js';

/** Options of every field. A field is required and not null by default. */
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
  readonly maxItems?: number;
  readonly unique?: boolean;
}

/** Range of Postgres' `integer`, so that no accepted value can fail in the database. */
const INT4 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** A kind of value: its rules for class-validator and its schema for OpenAPI. */
export interface FieldType {
  readonly rules: readonly Rule[];
  readonly schema: JsonSchema;
  readonly nullable: boolean;
}

/** Kinds of single values, for the items of a list: `@ListField(field.text({ maxLength: 50 }))`. */
export const field = {
  text: (options: TextOptions): FieldType => {
    const least = options.minLength ?? (options.optional || options.nullable ? 0 : 1);
    return fieldType('string', options, {
      rules: [
        maxLength(options.maxLength),
        ...(least > 0 ? [minLength(least)] : []),
        ...(options.pattern ? [matching(options.pattern)] : []),
      ],
      schema: {
        minLength: least,
        maxLength: options.maxLength,
        ...(options.pattern && { pattern: options.pattern.source }),
      },
    });
  },
  /** At most 254 characters (RFC 5321, section 4.5.3.1, errata 1690). */
  email: (options: FieldOptions = {}): FieldType => formatted('email', options, 254),
  id: (options: FieldOptions = {}): FieldType => formatted('uuid', options),
  url: (options: FieldOptions & { maxLength?: number } = {}): FieldType =>
    formatted('uri', options, options.maxLength ?? 2048),
  date: (options: FieldOptions = {}): FieldType => formatted('date', options),
  /** RFC 3339 with an offset; years 0001 to 9999. */
  dateTime: (options: FieldOptions = {}): FieldType => formatted('date-time', options),
  enum: (values: readonly string[], options: FieldOptions = {}): FieldType =>
    fieldType('string', options, {
      rules: [oneOf(values)],
      schema: { enum: options.nullable ? [...values, null] : values },
    }),
  integer: (options: NumberOptions = {}): FieldType => {
    const { minimum = INT4.minimum, maximum = INT4.maximum } = options;
    return fieldType('integer', options, {
      rules: [atLeast(minimum), atMost(maximum)],
      schema: { minimum, maximum },
    });
  },
  number: (options: NumberOptions = {}): FieldType => {
    const { minimum, maximum } = options;
    return fieldType('number', options, {
      rules: [
        ...(minimum === undefined ? [] : [atLeast(minimum)]),
        ...(maximum === undefined ? [] : [atMost(maximum)]),
      ],
      schema: { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) },
    });
  },
  boolean: (options: FieldOptions = {}): FieldType => fieldType('boolean', options),
  json: (options: FieldOptions = {}): FieldType =>
    fieldType('object', options, { schema: { additionalProperties: true } }),
};

export const TextField = (options: TextOptions): PropertyDecorator => declare(field.text(options), options);
export const EmailField = (options: FieldOptions = {}): PropertyDecorator => declare(field.email(options), options);
/** A UUID in lower or upper case. */
export const IdField = (options: FieldOptions = {}): PropertyDecorator => declare(field.id(options), options);
/** An absolute http(s) URL; the address policy decides whether it may be called. */
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
/** A free-form JSON object. */
export const JsonField = (options: FieldOptions = {}): PropertyDecorator => declare(field.json(options), options);

/** Any JSON value, null included. For answers: nothing of it is checked. */
export const JsonValueField = ({ description, example, ...options }: FieldOptions = {}): PropertyDecorator =>
  declare(
    {
      nullable: true,
      rules: [],
      schema: {
        ...(description !== undefined && { description }),
        ...(example !== undefined && { examples: [example] }),
      },
    },
    options,
  );

/** An object described by another DTO class: `@ObjectField(() => WorkspaceInput)`. */
export const ObjectField = (dto: () => DtoClass, options: FieldOptions = {}): PropertyDecorator => {
  const schema: SchemaPart = {
    dto,
    ...(options.nullable && { nullable: true }),
    ...(options.description !== undefined && { description: options.description }),
  };
  return compose(schema, options, [decorated(ofType('object', options.nullable ?? false)), ...nested(dto)]);
};

/** A list: `@ListField(() => StepInput)` or `@ListField(field.enum(EVENT_NAMES), { minItems: 1 })`. */
export const ListField = (item: FieldType | (() => DtoClass), options: ListOptions = {}): PropertyDecorator => {
  const most = options.maxItems ?? 100;
  const { rules, schema } = fieldType('array', options, {
    rules: [maxItems(most), ...(options.minItems ? [minItems(options.minItems)] : [])],
    schema: {
      items: typeof item === 'function' ? { dto: item } : item.schema,
      ...(options.minItems !== undefined && { minItems: options.minItems }),
      maxItems: most,
      ...(options.unique && { uniqueItems: true }),
    },
  });
  return compose(schema, options, [
    ...rules.map(decorated),
    ...(typeof item === 'function' ? nested(item) : [decorated(everyItem(item.rules, item.nullable))]),
    ...(options.unique ? [decorated(noDuplicates())] : []),
  ]);
};

function fieldType(
  type: ValueType,
  options: FieldOptions,
  more: { readonly rules?: readonly Rule[]; readonly schema?: JsonSchema } = {},
): FieldType {
  const { nullable = false, description, example } = options;
  return {
    nullable,
    rules: [ofType(type, nullable), ...(more.rules ?? [])],
    schema: {
      type: nullable ? [type, 'null'] : type,
      ...more.schema,
      ...(description !== undefined && { description }),
      ...(example !== undefined && { examples: [example] }),
    },
  };
}

const formatted = (format: StringFormat, options: FieldOptions, longest?: number): FieldType =>
  fieldType('string', options, {
    // The length is checked first, so that formats are only matched against texts of limited length.
    rules: [...(longest === undefined ? [] : [maxLength(longest)]), ofFormat(format)],
    schema: { format, ...(longest !== undefined && { maxLength: longest }) },
  });

/** The context has the problem for a broken rule; class-validator passes it on only together with a message. */
const decorated = ({ decorate, refusal }: Rule): PropertyDecorator =>
  decorate({ context: refusal, message: refusal.detail });

const nested = (dto: () => DtoClass): PropertyDecorator[] => [
  Type(dto as () => new () => object),
  ValidateNested({ context: ofType('object', false).refusal }) as PropertyDecorator,
];

const declare = ({ rules, schema }: FieldType, options: FieldOptions): PropertyDecorator =>
  compose(schema, options, rules.map(decorated));

function compose(
  schema: SchemaPart,
  { optional = false, nullable = false }: FieldOptions,
  decorators: readonly PropertyDecorator[],
): PropertyDecorator {
  // Always present, because it must also replace an inherited one.
  const given = ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null));
  return (prototype, property) => {
    declareField(prototype, String(property), { schema, optional });
    for (const decorate of [given, ...decorators]) decorate(prototype, property);
  };
}
