import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import { rulesByProperty } from './metadata-storage.js';

type Acceptance = (instance: object) => boolean;
type Instance = Readonly<Record<string, unknown>>;
/** Whether a value of a property follows its rules. */
type Test = (instance: Instance, value: unknown) => boolean;

const acceptances = new WeakMap<new () => object, Acceptance | null>();

/** Whether the rules of its class accept an instance; false also where only class-validator can tell. */
export function isAccepted(type: new () => object, instance: object): boolean {
  let known = acceptances.get(type);
  if (known === undefined) {
    known = acceptanceOf(type) ?? null;
    acceptances.set(type, known);
  }
  return known?.(instance) ?? false;
}

/**
 * A check whether class-validator would accept an instance, which nearly all of them are: the rules of the class, found once
 * and called directly, in a fifth of the time. For an instance that it does not accept class-validator has to be asked: it may
 * be valid nonetheless, and otherwise the problems have to be named.
 * @returns undefined for a class with rules that only class-validator applies: for items, nested objects, or asynchronous
 */
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
