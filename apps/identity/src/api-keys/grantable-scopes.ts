import { hasScope, type Principal } from '@crm/access';
import { PlatformError, type Right, rolesAllow, type Scope, type ScopeName } from '@crm/contracts';

/** What calls with a scope ask of the role, where it is more than reading and writing. */
const ADMINISTERED: readonly ScopeName[] = ['webhooks'];

/**
 * A key is given only what its owner may do, so that a list of keys says what they can do. Each call decides again.
 * @throws PlatformError SCOPE_NOT_GRANTABLE
 */
export function assertScopesGrantable(roles: readonly string[], scopes: readonly Scope[]): void {
  for (const scope of scopes) {
    if (!rolesAllow(roles, rightFor(scope))) {
      throw new PlatformError('SCOPE_NOT_GRANTABLE', `The role does not allow the scope ${scope}`);
    }
  }
}

/** A token that is narrowed to scopes makes no key that reaches further. @throws PlatformError SCOPE_NOT_GRANTABLE */
export function assertWithinToken(principal: Principal, scopes: readonly Scope[]): void {
  for (const scope of scopes) {
    const [name, read] = scope.split(':') as [ScopeName, string | undefined];
    if (!hasScope(principal, name, read ? 'read' : 'write')) {
      throw new PlatformError('SCOPE_NOT_GRANTABLE', `The access token lacks the scope ${scope}`);
    }
  }
}

function rightFor(scope: Scope): Right {
  const [name, read] = scope.split(':') as [ScopeName, string | undefined];
  if (ADMINISTERED.includes(name)) return 'administer';
  return read ? 'read' : 'write';
}
