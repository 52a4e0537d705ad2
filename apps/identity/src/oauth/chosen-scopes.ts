import { coversScope, PlatformError, type Scope } from '@crm/contracts';

/** Those of some scopes that cannot be left out: a required full scope keeps its `:read` too. */
export const requiredOf = (scopes: readonly string[], required: readonly string[]): string[] =>
  scopes.filter((scope) => coversScope(required, scope as Scope));

/**
 * What a user gives an app of the scopes that there are to give, in their order.
 * @param required those that cannot be left out
 * @param chosen what the user gives, at least one
 * @throws PlatformError SCOPE_NOT_OFFERED, SCOPE_REQUIRED, with a pointer to each wrong choice
 */
export function chooseScopes(
  offered: readonly string[],
  required: readonly string[],
  chosen: readonly string[],
): string[] {
  const unknown = chosen.flatMap((scope, index) =>
    offered.includes(scope)
      ? []
      : [{ pointer: `/scopes/${index}`, code: 'SCOPE_NOT_OFFERED', detail: 'The scope cannot be given here' }],
  );
  if (unknown.length > 0) throw new PlatformError('SCOPE_NOT_OFFERED', undefined, { errors: unknown });
  const missing = requiredOf(offered, required).filter((scope) => !chosen.includes(scope));
  if (missing.length > 0) {
    throw new PlatformError('SCOPE_REQUIRED', `The app cannot work without: ${missing.join(', ')}`, {
      errors: missing.map((scope) => ({ pointer: '/scopes', code: 'SCOPE_REQUIRED', detail: `${scope} is missing` })),
    });
  }
  return offered.filter((scope) => chosen.includes(scope));
}
