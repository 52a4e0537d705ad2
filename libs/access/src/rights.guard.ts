import { operatorRolesAllow, PlatformError, rolesAllow, type ScopeName, scopeAllows } from '@crm/contracts';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ACCESS_OPTIONS, type AccessOptions, type AccessRule, callOf, requirementOf } from './access.guard.js';
import { ProofSource, RevocationSource } from './key-ring.js';
import type { Principal } from './request-context.js';

/**
 * The role's rights ∩ the token's scopes. An app has no right beyond read and write, also when it acts for a user.
 * Scopes restrict a user's session only if its token lists any, and always those of apps, embedding and API keys.
 * @throws PlatformError EMBED_TOKEN_REFUSED, API_KEY_REFUSED, FORBIDDEN or INSUFFICIENT_SCOPE
 */
export function authorize(principal: Principal, rule: AccessRule): void {
  if (principal.kind === 'embed' && !(rule.embed ?? rule.scope !== undefined)) {
    throw new PlatformError('EMBED_TOKEN_REFUSED');
  }
  if (principal.kind === 'app' && !(rule.app ?? rule.scope !== undefined)) {
    throw new PlatformError('FORBIDDEN', "An app's own token cannot do this");
  }
  // An app that acts for a user has the user's roles, but what it made as an administrator would outlive its grant.
  if (principal.kind === 'app' && (rule.right === 'administer' || rule.right === 'own')) {
    throw new PlatformError('FORBIDDEN', "Apps can't administer a workspace");
  }
  if (principal.apiKeyId !== undefined && !(rule.key ?? rule.scope !== undefined)) {
    throw new PlatformError('API_KEY_REFUSED');
  }
  // Operators have roles of their own and no tenant; only marketplace-admin accepts their tokens over HTTP.
  const rolesOfKind = principal.kind === 'operator' ? operatorRolesAllow : rolesAllow;
  const allowed = rolesOfKind(principal.roles, rule.right);
  if (!allowed) throw new PlatformError('FORBIDDEN');
  if (rule.scope !== undefined) requireScope(principal, rule.scope, rule.right === 'read' ? 'read' : 'write');
}

export type ScopeHolder = Pick<Principal, 'kind' | 'scopes' | 'appKey'>;

/** Returns whether a principal's token allows an access; a token that is not narrowed to scopes allows whatever its role does. */
export function hasScope(principal: ScopeHolder, scope: ScopeName, mode: 'read' | 'write'): boolean {
  return !isNarrowed(principal) || scopeAllows(principal.scopes, scope, mode);
}

/** @throws PlatformError INSUFFICIENT_SCOPE naming the scope */
export function requireScope(principal: ScopeHolder, scope: ScopeName, mode: 'read' | 'write'): void {
  if (hasScope(principal, scope, mode)) return;
  const needed = mode === 'read' ? `${scope}:read` : scope;
  throw new PlatformError('INSUFFICIENT_SCOPE', `The token needs the scope ${needed}`);
}

function isNarrowed(principal: ScopeHolder): boolean {
  switch (principal.kind) {
    case 'app':
    case 'embed':
      return true;
    case 'internal':
      return principal.appKey !== undefined;
    case 'user':
      return principal.scopes.length > 0;
    case 'operator':
      return false;
  }
}

/** Milliseconds after which cut-offs that were not confirmed may lack one: then what administers waits, everyday calls go on. */
export const MAX_CUTOFF_AGE_MS = 5_000;

const administers = ({ right, proof }: AccessRule): boolean =>
  right === 'administer' || right === 'own' || proof === true;

/** Checks the principal set by AccessTokenGuard against the `@Access` rule of the handler. */
@Injectable()
export class RightsGuard implements CanActivate {
  private revocations: RevocationSource | undefined;

  constructor(
    @Inject(ACCESS_OPTIONS) private readonly options: Pick<AccessOptions, 'proofs' | 'revocations' | 'keepsCutoffs'>,
    private readonly modules: ModuleRef,
  ) {}

  /**
   * @throws PlatformError EMBED_TOKEN_REFUSED, API_KEY_REFUSED, FORBIDDEN, INSUFFICIENT_SCOPE or STEP_UP_REQUIRED;
   * SERVICE_UNAVAILABLE for what administers while cut-offs may be missing
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requirement = requirementOf(context);
    if (requirement === 'public') return true;
    const { principal } = callOf(context);
    if (!principal) throw new Error('RightsGuard runs before AccessTokenGuard');
    authorize(principal, requirement);
    if (administers(requirement) && !this.options.keepsCutoffs) this.assertCutoffsAreKnown();
    return requirement.proof && principal.apiKeyId === undefined ? this.askForProof(principal) : true;
  }

  private assertCutoffsAreKnown(): void {
    this.revocations ??=
      this.options.revocations ?? this.modules.get<RevocationSource>(RevocationSource, { strict: false });
    if (this.revocations.ageMs <= MAX_CUTOFF_AGE_MS) return;
    const detail =
      "We can't check right now whether your access was revoked, so admin calls are on hold. Try again shortly";
    throw new PlatformError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 5 });
  }

  private async askForProof(principal: Principal): Promise<true> {
    const proofs: ProofSource = this.options.proofs ?? this.modules.get(ProofSource, { strict: false });
    await proofs.assert(principal);
    return true;
  }
}
