import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import type { ObjectDefinition, SharedAccess } from './object-definition.js';

/** What decides whether a caller sees an object. */
export type Caller = Pick<Principal, 'kind' | 'appKey'>;

type Shareable = Pick<ObjectDefinition, 'appKey' | 'sharedWith'>;

/**
 * What a caller may do with the records of an object, before roles and scopes count. Users work with all objects of their
 * tenant. An app works with its own, sandboxes included, and with those that an administrator shares with it; standard
 * objects belong to no app, and its scopes decide about them.
 */
function accessOf({ appKey: owner, sharedWith = {} }: Shareable, caller: Caller): SharedAccess | null {
  const app = actingApp(caller);
  if (app === null || owner === null || owner === app) return 'write';
  return Object.hasOwn(sharedWith, app) ? (sharedWith[app] as SharedAccess) : null;
}

/**
 * The key of the app that acts by itself, with its own token or in a run of its workflow; null for a user, also inside an
 * embedded CRM. An app's token without a key is that of no app.
 */
export function actingApp({ kind, appKey }: Caller): string | null {
  if (kind === 'app') return appKey ?? '';
  return kind === 'internal' ? (appKey ?? null) : null;
}

export function isVisibleTo(object: Shareable, caller: Caller): boolean {
  return accessOf(object, caller) !== null;
}

/** @throws NOT_FOUND as for an object that does not exist; FORBIDDEN when the caller may read and not write */
export function requireAccess(object: Shareable, caller: Caller, mode: 'read' | 'write'): void {
  const access = accessOf(object, caller);
  if (access === null) throw noSuchObject();
  if (mode === 'write' && access === 'read') {
    throw new PlatformError('FORBIDDEN', 'The object is shared with the app for reading only');
  }
}

/** The keys of the apps that see an object: the one it belongs to and those that it is shared with. */
export function appsThatSee({ appKey, sharedWith = {} }: Shareable): string[] {
  return [...(appKey === null ? [] : [appKey]), ...Object.keys(sharedWith)];
}

export const noSuchObject = (): PlatformError => new PlatformError('NOT_FOUND', 'There is no such object');
