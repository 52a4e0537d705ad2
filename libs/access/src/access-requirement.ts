import type { ExecutionContext, Type } from '@nestjs/common';
import { ACCESS_RULE, type AccessRule, PUBLIC_ROUTE } from './access.decorator.js';

/** What a handler requires: nothing (`public`), or a token that satisfies a rule. */
export type AccessRequirement = 'public' | AccessRule;

/** Decorators do not change after a class is defined, so those of each handler are read once. */
const known = new WeakMap<Type, Map<unknown, AccessRequirement>>();

/**
 * What the handler of a call requires. Decorators of the method take precedence over those of its class, and `@Public` over
 * `@Access`.
 * @throws Error when the handler has neither `@Access` nor `@Public`
 */
export function requirementOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): AccessRequirement {
  const type = context.getClass();
  const handler = context.getHandler();
  let handlers = known.get(type);
  if (!handlers) {
    handlers = new Map();
    known.set(type, handlers);
  }
  let requirement = handlers.get(handler);
  if (requirement === undefined) {
    requirement = readRequirement(type, handler);
    handlers.set(handler, requirement);
  }
  return requirement;
}

function readRequirement(type: Type, handler: object): AccessRequirement {
  const read = (key: string): unknown => Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, type);
  if (read(PUBLIC_ROUTE)) return 'public';
  const rule = read(ACCESS_RULE);
  if (!rule) throw new Error(`${type.name} has a handler without an access rule`);
  return rule as AccessRule;
}
