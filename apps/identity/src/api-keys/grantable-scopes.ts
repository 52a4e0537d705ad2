import { hasScope, type Principal } from '@crm/access';
import { PlatformError, type Right, rolesAllow, type Scope, type ScopeName, scopeEntry } from '@crm/contracts';

/** A key gets only what its owner may do now; each call decides again. @throws PlatformError SCOPE_NOT_GRANTABLE */
export function assertScopesGrantable(roles: readonly string[], scopes: readonly Scope[]): void {
  for (const scope of scopes) {
    if (!rolesAllow(roles, rightFor(scope))) {
      throw new PlatformError('SCOPE_NOT_GRANTABLE', `Your role doesn't allow the scope ${scope}`);
    }
  }
}

/** A token that is narrowed to scopes makes no key that reaches further. @throws PlatformError SCOPE_NOT_GRANTABLE */
export function assertWithinToken(principal: Principal, scopes: readonly Scope[]): void {
  for (const scope of scopes) {
    const [name, read] = scope.split(':') as [ScopeName, string | undefined];
    if (!hasScope(principal, name, read ? 'read' : 'write')) {
      throw new PlatformError('SCOPE_NOT_GRANTABLE', `The token is missing the scope ${scope}`);
    }
  }
}

function rightFor(scope: Scope): Right {
  if (scopeEntry(scope)?.administered) return 'administer';
  return scope.endsWith(':read') ? 'read' : 'write';
}
