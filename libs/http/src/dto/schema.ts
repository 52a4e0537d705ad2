import { validatedProperties } from './metadata-storage.js';

/** The part of JSON Schema 2020-12 that the field decorators write for OpenAPI 3.1. */
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

/** A schema, or a DTO class that OpenAPI references by name. A function returns the class, so that it may be declared later. */
export type SchemaPart =
  | JsonSchema
  | { readonly dto: () => DtoClass; readonly nullable?: boolean; readonly description?: string };

export const isDtoPart = (part: SchemaPart): part is Extract<SchemaPart, { dto: unknown }> => 'dto' in part;

interface Declaration {
  readonly schema: SchemaPart;
  readonly optional: boolean;
}

/** The shape of a field: a scalar, an object of a class, or a list. */
const shapeOf = ({ schema }: Declaration): string => {
  if (isDtoPart(schema)) return 'object';
  return schema.items && isDtoPart(schema.items) ? 'list of objects' : 'value';
};

const declarations = new WeakMap<object, Map<string, Declaration>>();

/**
 * Registers a property of a DTO class.
 * @throws Error when a base class declares the property with another shape, because the rules of both would apply
 */
export function declareField(prototype: object, property: string, declaration: Declaration): void {
  const inherited = declarationOf(Object.getPrototypeOf(prototype), property);
  if (inherited && shapeOf(inherited) !== shapeOf(declaration)) {
    throw new Error(`${prototype.constructor.name}.${property} is inherited as ${shapeOf(inherited)}`);
  }
  const own = declarations.get(prototype) ?? new Map<string, Declaration>();
  own.set(property, declaration);
  declarations.set(prototype, own);
}

/** The declaration of a property in the nearest class of the prototype chain. */
function declarationOf(prototype: object | null, property: string): Declaration | undefined {
  for (let at = prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const declaration = declarations.get(at)?.get(property);
    if (declaration) return declaration;
  }
  return undefined;
}

/**
 * Maximum number of items of a field with objects of a class: 0 when it is not a list.
 * @returns Infinity for a property without a field decorator
 */
export function maxItemsOf(type: DtoClass, property: string): number {
  const declaration = declarationOf(type.prototype, property);
  if (!declaration) return Number.POSITIVE_INFINITY;
  return isDtoPart(declaration.schema) ? 0 : (declaration.schema.maxItems ?? 0);
}

/** Resolves a reference to a DTO class; a plain schema is returned unchanged. */
export function resolvePart(part: SchemaPart): JsonSchema {
  if (!isDtoPart(part)) return part;
  const schema = schemaOf(part.dto());
  if (!schema) throw new Error(`${part.dto().name} has no field decorators`);
  return part.nullable ? { ...schema, type: ['object', 'null'] } : schema;
}

const schemas = new WeakMap<object, JsonSchema>();

/**
 * The schema of a DTO class, its own and inherited properties; undefined if it declares none. A property that has only
 * decorators of class-validator is listed with an empty schema.
 */
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
  for (const [name, { conditional }] of validatedProperties(type)) {
    if (!fields.has(name)) fields.set(name, { schema: {}, optional: conditional });
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
