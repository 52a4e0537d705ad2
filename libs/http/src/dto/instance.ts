import { type ClassTransformOptions, plainToInstance, TransformationType } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { type DtoClass, hasAsynchronousRules, maxItemsOf, validatedProperties } from './schema.js';

/** Maximum number of unknown members, and of list items that are not objects, that are passed on to be reported. */
const MAX_WRONG = 50;

type Concrete = new () => object;

/** How a member is converted: unchanged, to an instance of a class (or a list of them), or by class-transformer. */
type Handling = 'itself' | 'transformed' | { readonly type: Concrete; readonly maxItems: number };

interface Plan {
  readonly members: ReadonlyMap<string, Handling>;
  readonly transforms: boolean;
}

const plans = new WeakMap<Concrete, Plan>();

/**
 * Uses class-transformer only for members with its decorators: it would copy free-form JSON, drop members called
 * `constructor` instead of reporting them, and compare each name with every other (seconds for a body of 1 MiB).
 */
export function instanceOf(type: Concrete, source: object, options?: ClassTransformOptions): object {
  const { members, transforms } = planOf(type);
  const instance = transforms ? transformed(type, source, members, options) : new type();
  let unknown = 0;
  for (const name of Object.keys(source)) {
    const value = (source as Record<string, unknown>)[name];
    const handling = members.get(name);
    if (handling === 'transformed') continue;
    if (handling === undefined) {
      unknown += 1;
      if (unknown <= MAX_WRONG) addUnknown(instance, name, type);
    } else {
      (instance as Record<string, unknown>)[name] = handling === 'itself' ? value : nested(handling, value, options);
    }
  }
  return instance;
}

/** Only the name is checked. `constructor` must still identify the class, or its rules would not be found. */
function addUnknown(instance: object, name: string, type: Concrete): void {
  const value = name === 'constructor' ? type : undefined;
  Object.defineProperty(instance, name, { value, enumerable: true, configurable: true, writable: true });
}

function nested(
  { type, maxItems }: Exclude<Handling, string>,
  value: unknown,
  options?: ClassTransformOptions,
): unknown {
  if (Array.isArray(value)) {
    // A longer list is rejected anyway.
    if (value.length > maxItems) return value;
    // class-validator would search a nested list for objects; `false` is rejected because it is not an object.
    return value.map((item) => (Array.isArray(item) ? false : isObject(item) ? instanceOf(type, item, options) : item));
  }
  return isObject(value) ? instanceOf(type, value, options) : value;
}

function planOf(type: Concrete): Plan {
  const known = plans.get(type);
  if (known) return known;
  const all = transformations.getStrategy(type) !== 'none';
  const members = new Map<string, Handling>();
  for (const name of validatedProperties(type).keys()) members.set(name, all ? 'transformed' : handlingOf(type, name));
  for (const { options } of transformations.getExposedMetadatas(type)) {
    if (options.name !== undefined) members.set(options.name, 'transformed');
  }
  const plan = { members, transforms: [...members.values()].includes('transformed') };
  plans.set(type, plan);
  return plan;
}

function handlingOf(type: Concrete, name: string): Handling {
  const isTransformed =
    transformations.findTransformMetadatas(type, name, TransformationType.PLAIN_TO_CLASS).length > 0 ||
    transformations.findExposeMetadata(type, name) !== undefined ||
    transformations.findExcludeMetadata(type, name) !== undefined;
  if (isTransformed) return 'transformed';
  const declared = transformations.findTypeMetadata(type, name);
  if (!declared) return 'itself';
  const member = declared.typeFunction() as Concrete;
  if (declared.options.discriminator || validatedProperties(member).size === 0) return 'transformed';
  return { type: member, maxItems: maxItemsOf(type as DtoClass, name) };
}

function transformed(
  type: Concrete,
  source: object,
  members: Plan['members'],
  options?: ClassTransformOptions,
): object {
  const values = Object.entries(source).filter(([name]) => members.get(name) === 'transformed');
  return plainToInstance(type, withoutConstructors(Object.fromEntries(values)), options);
}

/** class-transformer mistakes a member called `constructor` for the class of the object. */
function withoutConstructors<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (name, member) => (name === 'constructor' ? undefined : member));
}

/** Whether no rule of it or of nested classes is asynchronous; what class-transformer converts counts as asynchronous. */
export function isJudgedAtOnce(type: Concrete): boolean {
  let known = judgedAtOnce.get(type);
  if (known === undefined) {
    known = [...reachableFrom(type)].every((part) => !planOf(part).transforms && !hasAsynchronousRules(part));
    judgedAtOnce.set(type, known);
  }
  return known;
}

/** The class, and the classes of its members, of theirs, and so on: classes may contain each other. */
function reachableFrom(type: Concrete): Set<Concrete> {
  const found = new Set([type]);
  // A set that grows while it is iterated over is iterated over to its new end.
  for (const part of found) {
    for (const handling of planOf(part).members.values()) if (typeof handling === 'object') found.add(handling.type);
  }
  return found;
}

const judgedAtOnce = new WeakMap<Concrete, boolean>();

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
