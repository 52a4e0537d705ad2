import { type FieldProblem, PlatformError } from '@crm/contracts';
import { type ArgumentMetadata, type PipeTransform, type Type, ValidationPipe } from '@nestjs/common';
import { type ClassTransformOptions, classToPlain, plainToInstance, TransformationType } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes, validate, validateSync } from 'class-validator';
import { fieldProblems } from './field-problems.js';
import { isBadText, refuseBadText } from './json-value.js';
import { coerceQuery } from './lists.js';
import {
  type DtoClass,
  hasAsynchronousRules,
  maxItemsOf,
  rulesByProperty,
  schemaOf,
  validatedProperties,
} from './schema.js';

type Acceptance = (instance: object) => boolean;
type Instance = Readonly<Record<string, unknown>>;
type Test = (instance: Instance, value: unknown) => boolean;

const acceptances = new WeakMap<new () => object, Acceptance | null>();

/** Returns whether the rules of its class accept an instance; false also where only class-validator can tell. */
function isAccepted(type: new () => object, instance: object): boolean {
  let known = acceptances.get(type);
  if (known === undefined) {
    known = acceptanceOf(type) ?? null;
    acceptances.set(type, known);
  }
  return known?.(instance) ?? false;
}

/** A fifth of class-validator's time; undefined for rules of items, nested objects or asynchronous ones. */
function acceptanceOf(type: new () => object): Acceptance | undefined {
  const tests = new Map<string, Test>();
  for (const [name, rules] of rulesByProperty(type)) {
    const test = testOf(type, rules);
    if (!test) return undefined;
    tests.set(name, test);
  }
  if (tests.size === 0) return undefined;
  const entries = [...tests];
  return (instance) => {
    for (const name of Object.keys(instance)) if (!tests.has(name)) return false;
    return entries.every(([name, test]) => test(instance as Instance, (instance as Instance)[name]));
  };
}

type Rules = ReturnType<typeof rulesByProperty> extends ReadonlyMap<string, infer R> ? R : never;

function testOf(type: new () => object, rules: Rules): Test | undefined {
  const conditions: ((instance: unknown, value: unknown) => boolean)[] = [];
  const tests: Test[] = [];
  for (const rule of rules) {
    if (rule.type === ValidationTypes.WHITELIST) continue;
    if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      conditions.push(rule.constraints[0]);
      continue;
    }
    if (rule.type !== ValidationTypes.CUSTOM_VALIDATION || rule.each || rule.validateIf) return undefined;
    for (const { instance: constraint, async } of getMetadataStorage().getTargetValidatorConstraints(
      rule.constraintCls,
    )) {
      if (async) return undefined;
      const { propertyName: property, constraints } = rule;
      tests.push((object, value) => {
        const call: ValidationArguments = { targetName: type.name, property, object, value, constraints };
        // A promise is not an answer yet.
        return constraint.validate(value, call) === true;
      });
    }
  }
  return (instance, value) =>
    !conditions.every((condition) => condition(instance, value)) || tests.every((test) => test(instance, value));
}

/** Nest's pipe for values parsed from JSON or a query string, for which some of its precautions are unnecessary. */
class JsonValidationPipe extends ValidationPipe {
  constructor(refusal: (problems: FieldProblem[]) => PlatformError) {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      stopAtFirstError: true,
      validationError: { target: false, value: true },
      exceptionFactory: (errors) => refusal(fieldProblems(errors)),
      // Passed in, so that the pipe does not import the packages, which would add all of them to the bundle.
      validatorPackage: { validate, getMetadataStorage } as never,
      transformerPackage: { plainToInstance: toInstance, classToPlain } as never,
    });
  }

  /** Like `transform`, but without a promise for classes whose rules need none. */
  judge(value: object, metadata: ArgumentMetadata): unknown {
    const type = metadata.metatype as new () => object;
    if (!isJudgedAtOnce(type)) return this.transform(value, metadata);
    const instance = instanceOf(type, value);
    if (instance.constructor !== type) return this.transform(value, metadata);
    if (isAccepted(type, instance)) return instance;
    const errors = validateSync(instance, this.validatorOptions);
    if (errors.length > 0) throw this.exceptionFactory(errors);
    return instance;
  }

  protected override stripProtoKeys(): void {
    // The body parser rejects `__proto__` and `constructor.prototype`; other names are allowed in a free-form object.
  }

  protected override closeArrayGaps(): void {
    // JSON has no sparse lists.
  }

  protected override findNestedBinaryValues(): [] {
    // JSON has no binary values.
    return [];
  }
}

/** Bodies and queries are always objects here; the original method also checks other things, e.g. whether a class has rules. */
const toInstance = (type: new () => object, value: unknown, options?: ClassTransformOptions): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? instanceOf(type, value, options)
    : plainToInstance(type, value, options);

/** Makes instances of DTO classes, so that initial values are defaults. A body declared as a plain object must be one. */
export class DtoPipe implements PipeTransform {
  private readonly bodies = new JsonValidationPipe(
    (errors) => new PlatformError('VALIDATION_FAILED', undefined, { errors }),
  );
  private readonly queries = new JsonValidationPipe((errors) => {
    const detail = errors.map((error) => `${error.pointer.slice(1)}: ${error.detail}`).join('; ');
    return new PlatformError('INVALID_QUERY', detail, { errors });
  });

  /** @throws PlatformError VALIDATION_FAILED (body), INVALID_QUERY (query), MALFORMED_REQUEST for a body that is no object */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype, data } = metadata;
    if (data !== undefined || (type !== 'body' && type !== 'query')) return value;
    const schema = schemaOf(metatype);
    if (type === 'query') {
      return schema ? this.queries.judge(coerceQuery(schema, value as Record<string, unknown>), metadata) : value;
    }
    if (!schema && metatype !== Object) return value;
    // An absent body counts as empty when fields are declared; a free-form body must be present.
    const body = value === undefined && schema ? {} : value;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object');
    }
    return schema ? this.bodies.judge(body, metadata) : body;
  }
}

/** Rejects text in query parameters that no column can store. */
export function checkQueryText(query: unknown): void {
  refuseBadText(
    query,
    (pointer) => new PlatformError('INVALID_QUERY', `${pointer.slice(1)}: contains a character that isn't allowed`),
  );
}

/** The same in the parameters of a path, for which no pipe is needed elsewhere. */
export function checkPathText(parameters: unknown): void {
  for (const text of Object.values(parameters as Readonly<Record<string, string>>)) {
    if (isBadText(text))
      throw new PlatformError('MALFORMED_REQUEST', "The path contains a character that isn't allowed");
  }
}

const pipe = new DtoPipe();

/** For strategies and guards, which run before pipes. @throws PlatformError as for a handler's `@Body()` */
export async function bodyOf<T extends object>(dto: Type<T>, body: unknown): Promise<T> {
  return (await pipe.transform(body, { type: 'body', metatype: dto })) as T;
}

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

/** Returns whether no rule of it or of nested classes is asynchronous; what class-transformer converts counts as asynchronous. */
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
