import type { FieldTypes, ValueType } from './types.js';

/** The declared type of a name, looked up among own properties only. */
export function fieldType(fields: FieldTypes, name: string): ValueType | undefined {
  if (isMap(fields)) return fields.get(name);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function fieldNames(fields: FieldTypes): Iterable<string> {
  return isMap(fields) ? fields.keys() : Object.keys(fields);
}

/** A declared field may be called `get` or `keys`, so the shape says nothing: only the class does. */
function isMap(fields: FieldTypes): fields is ReadonlyMap<string, ValueType> {
  return fields instanceof Map;
}
