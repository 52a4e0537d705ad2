/** The part of JSON Schema 2020-12 that the DTO decorators write; validation and OpenAPI 3.1 read the same object. */
export interface JsonSchema {
  type?: JsonType | JsonType[];
  description?: string;
  examples?: unknown[];
  default?: unknown;
  enum?: readonly unknown[];
  /** In Unicode code points. */
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: StringFormat;
  minimum?: number;
  maximum?: number;
  items?: SchemaPart;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, SchemaPart>;
  required?: string[];
  additionalProperties?: boolean;
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';
export type StringFormat = 'email' | 'uuid' | 'date' | 'date-time' | 'uri';

/** A class whose properties are declared with the field decorators. */
export type DtoClass<T extends object = object> = abstract new () => T;

/** A schema, or a DTO class that is named by reference in OpenAPI. Classes come as a function so that they may be declared later. */
export type SchemaPart =
  | JsonSchema
  | { readonly dto: () => DtoClass; readonly nullable?: boolean; readonly description?: string };

export const isDtoPart = (part: SchemaPart): part is Extract<SchemaPart, { dto: unknown }> => 'dto' in part;

interface Declaration {
  readonly schema: SchemaPart;
  readonly optional: boolean;
}

const declarations = new WeakMap<object, Map<string, Declaration>>();

/** Notes a property of a DTO class. */
export function declareField(prototype: object, property: string, declaration: Declaration): void {
  const own = declarations.get(prototype) ?? new Map<string, Declaration>();
  own.set(property, declaration);
  declarations.set(prototype, own);
}

const schemas = new WeakMap<object, JsonSchema>();

/** The schema of a DTO class, its own and inherited properties; undefined if it declares none. */
export function schemaOf(type: unknown): JsonSchema | undefined {
  if (typeof type !== 'function' || typeof type.prototype !== 'object' || type.prototype === null) return undefined;
  const known = schemas.get(type);
  if (known) return known;
  const fields = new Map<string, Declaration>();
  for (
    let prototype = type.prototype;
    prototype && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const [name, declaration] of declarations.get(prototype) ?? []) {
      if (!fields.has(name)) fields.set(name, declaration);
    }
  }
  if (fields.size === 0) return undefined;
  const required = [...fields].filter(([, { optional }]) => !optional).map(([name]) => name);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries([...fields].map(([name, declaration]) => [name, declaration.schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  schemas.set(type, schema);
  return schema;
}
