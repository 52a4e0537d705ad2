import { ACCESS_RULE, PUBLIC_ROUTE } from '@crm/access';
import type { RpcContract } from '@crm/contracts';
import type { Type } from '@nestjs/common';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { RPC_CONTRACT } from './rpc/rpc-handler.js';

/**
 * Checks for mistakes that Nest ignores silently.
 * @throws Error that lists the handlers that would never be called because their class is not a controller, those of a
 *   contract with a user's token that have no access rule, and those with an access rule that could never be checked
 */
export function checkHandlers(modules: ModulesContainer): void {
  const problems: string[] = [];
  for (const { controllers, providers } of modules.values()) {
    for (const { method, name } of handlersOf(providers)) {
      if (Reflect.hasMetadata(PATTERN_METADATA, method)) problems.push(`${name} is in a provider, not in a controller`);
    }
    for (const { type, method, name } of handlersOf(controllers)) {
      const contract = Reflect.getMetadata(RPC_CONTRACT, method) as RpcContract | undefined;
      const problem = contract && accessProblem(contract, type, method);
      if (problem) problems.push(`${name} ${problem}`);
    }
  }
  if (problems.length > 0)
    throw new Error(`These handlers cannot be served:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
}

function accessProblem(contract: RpcContract, type: Type, method: object): string | undefined {
  const isMarked = (key: string) => Reflect.hasMetadata(key, method) || Reflect.hasMetadata(key, type);
  if (contract.principal === 'user') {
    if (isMarked(PUBLIC_ROUTE)) return `is @Public, though ${contract.subject} is called with a user's token`;
    if (!isMarked(ACCESS_RULE)) return `has no @Access, though ${contract.subject} is called with a user's token`;
  } else if (Reflect.hasMetadata(ACCESS_RULE, method)) {
    return `has @Access, though ${contract.subject} is called without a token`;
  }
  return undefined;
}

function* handlersOf(
  wrappers: ReadonlyMap<unknown, { metatype: unknown }>,
): Generator<{ type: Type; method: object; name: string }> {
  const scanner = new MetadataScanner();
  for (const { metatype } of wrappers.values()) {
    // A factory has no prototype with methods; a value has no metatype.
    if (typeof metatype !== 'function' || !metatype.prototype) continue;
    const type = metatype as Type;
    for (const key of scanner.getAllMethodNames(type.prototype)) {
      yield { type, method: type.prototype[key] as object, name: `${type.name}.${key}` };
    }
  }
}
