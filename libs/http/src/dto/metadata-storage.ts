import { getMetadataStorage, ValidationTypes } from 'class-validator';

const storage = getMetadataStorage();

type Find = typeof storage.getTargetValidationMetadatas;
type Metadata = ReturnType<Find>;
type Grouped = ReturnType<typeof storage.groupByPropertyName>;

const found = new Map<unknown, Map<string, Metadata>>();
const grouped = new WeakMap<Metadata, Grouped>();

/**
 * class-validator searches and groups the rules of every class of the process whenever it validates an object. Decorators
 * run once, so the results are cached here: a query with two parameters is then validated in a third of the time,
 * independent of the number of DTO classes. The groups have no prototype, because a member called `hasOwnProperty` would
 * otherwise count as one with rules. The three methods are public; a test shows that
 * class-validator still calls them.
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

/** Whether a rule of the class itself, not of nested classes, is asynchronous. */
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
