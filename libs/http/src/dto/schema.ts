import { getMetadataStorage, ValidationTypes } from 'class-validator';

const storage = getMetadataStorage();

type Find = typeof storage.getTargetValidationMetadatas;
type Metadata = ReturnType<Find>;
type Grouped = ReturnType<typeof storage.groupByPropertyName>;

const found = new Map<unknown, Map<string, Metadata>>();
const grouped = new WeakMap<Metadata, Grouped>();

/**
 * class-validator searches and groups the rules of all classes for each object; cached, a query takes a third of the
 * time. Groups have no prototype: a member called `hasOwnProperty` would count as one with rules.
 */
function rememberRules(): void {
  const find = storage.getTargetValidationMetadatas.bind(storage);
  const group = storage.groupByPropertyName.bind(storage);
  const add = storage.addValidationMetadata.bind(storage);
  storage.addValidationMetadata = (metadata) => {
    found.clear();
    add(metadata);
  };
  storage.getTargetValidationMetadatas = (type, schema, always, strictGroups, groups) => {
    if (always || strictGroups || (groups && groups.length > 0))
      return find(type, schema, always, strictGroups, groups);
    const known = found.get(type)?.get(schema ?? '');
    if (known) return known;
    const metadata = find(type, schema, always, strictGroups, groups);
    found.set(type, (found.get(type) ?? new Map<string, Metadata>()).set(schema ?? '', metadata));
    return metadata;
  };
  storage.groupByPropertyName = (metadata) => {
    const known = grouped.get(metadata);
    if (known) return known;
    const groups: Grouped = Object.assign(Object.create(null), group(metadata));
    grouped.set(metadata, groups);
    return groups;
  };
}

rememberRules();

/** The rules of a class by property; none for a class that is not a DTO. */
export function rulesByProperty(type: unknown): ReadonlyMap<string, Metadata> {
  if (typeof type !== 'function' || typeof type.prototype !== 'object' || type.prototype === null) return new Map();
  const metadata = storage.getTargetValidationMetadatas(type, '', false, false);
  return new Map(Object.entries(storage.groupByPropertyName(metadata)));
}

/** The properties of a class that have rules, and whether the rules are conditional; none for a class that is not a DTO. */
export function validatedProperties(type: unknown): ReadonlyMap<string, { readonly conditional: boolean }> {
  return new Map(
    [...rulesByProperty(type)].map(([name, rules]) => [
      name,
      { conditional: rules.some((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION) },
    ]),
  );
}

/** Returns whether a rule of the class itself, not of nested classes, is asynchronous. */
export function hasAsynchronousRules(type: unknown): boolean {
  if (typeof type !== 'function') return false;
  return storage
    .getTargetValidationMetadatas(type, '', false, false)
    .some(
      ({ constraintCls }) =>
        constraintCls !== undefined &&
        storage.getTargetValidatorConstraints(constraintCls).some((constraint) => constraint.async),
    );
}

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

const shapeOf = ({ schema }: Declaration): string => {
  if (isDtoPart(schema)) return 'object';
  return schema.items && isDtoPart(schema.items) ? 'list of objects' : 'value';
};

const declarations = new WeakMap<object, Map<string, Declaration>>();

/** @throws Error when a base class declares it with another shape, because the rules of both would apply */
export function declareField(prototype: object, property: string, declaration: Declaration): void {
  const inherited = declarationOf(Object.getPrototypeOf(prototype), property);
  if (inherited && shapeOf(inherited) !== shapeOf(declaration)) {
    throw new Error(`${prototype.constructor.name}.${property} is inherited as ${shapeOf(inherited)}`);
  }
  const own = declarations.get(prototype) ?? new Map<string, Declaration>();
  own.set(property, declaration);
  declarations.set(prototype, own);
}

function declarationOf(prototype: object | null, property: string): Declaration | undefined {
  for (let at = prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const declaration = declarations.get(at)?.get(property);
    if (declaration) return declaration;
  }
  return undefined;
}

/** Most objects in a list field, 0 for no list, Infinity for a property without a field decorator. */
export function maxItemsOf(type: DtoClass, property: string): number {
  const declaration = declarationOf(type.prototype, property);
  if (!declaration) return Number.POSITIVE_INFINITY;
  return isDtoPart(declaration.schema) ? 0 : (declaration.schema.maxItems ?? 0);
}

export function resolvePart(part: SchemaPart): JsonSchema {
  if (!isDtoPart(part)) return part;
  const schema = schemaOf(part.dto());
  if (!schema) throw new Error(`${part.dto().name} has no field decorators`);
  return part.nullable ? { ...schema, type: ['object', 'null'] } : schema;
}

const schemas = new WeakMap<object, JsonSchema>();

/** With inherited properties; undefined if there are none. One with rules of class-validator alone has an empty schema. */
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
