import { coversScope, isScope, type Scope } from '@crm/contracts';
import { OAuthError } from './oauth-error.js';

/**
 * The scopes of a `scope` parameter (RFC 6749, section 3.3), each once; undefined when there is none.
 * @throws OAuthError invalid_scope for an unknown one
 */
export function parseScopes(text: string | undefined): Scope[] | undefined {
  const names = text?.split(' ').filter((name) => name !== '');
  if (!names?.length) return undefined;
  if (!names.every(isScope)) throw new OAuthError('invalid_scope', 'A scope is not known');
  return [...new Set(names)];
}

/** What of the wanted scopes is granted; with nothing wanted, everything. A full scope of which only reading is granted reads. */
export function intersectScopes(wanted: readonly string[] | null, granted: readonly string[]): string[] {
  if (wanted === null) return [...granted];
  const both = wanted.flatMap((scope) => {
    if (!isScope(scope)) return [];
    if (coversScope(granted, scope)) return [scope];
    const reading = `${scope.replace(/:read$/, '')}:read` as Scope;
    return coversScope(granted, reading) ? [reading] : [];
  });
  return [...new Set(both)];
}

/**
 * The scopes of a token: those that are asked for, or all that are granted.
 * @throws OAuthError invalid_scope for one that is not granted, and when nothing is
 */
export function scopesOfToken(wanted: readonly Scope[] | undefined, granted: readonly string[]): string[] {
  if (wanted?.some((scope) => !coversScope(granted, scope))) {
    throw new OAuthError('invalid_scope', 'A scope was not granted');
  }
  const scopes = wanted ?? granted;
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'No scope was granted');
  return [...scopes];
}
