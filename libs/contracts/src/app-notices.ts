import { CORE_OBJECTS } from './objects.js';
import { SCOPE_CATALOGUE, scopeAllows } from './rights.js';

export const APP_NOTICE_CODES = [
  'SANDBOX_REAL_DATA',
  'EXPOSED_FIELDS',
  'ROLE_SHARED',
  'PUBLISHER_SUSPENDED',
  'APP_SUSPENDED',
  'APP_REVOKED',
] as const;
export const NOTICE_SEVERITIES = ['info', 'warning', 'critical'] as const;

/** What people have to know of an app: in its listing, before they consent, and of what is installed. */
export interface AppNotice {
  readonly code: (typeof APP_NOTICE_CODES)[number];
  readonly severity: (typeof NOTICE_SEVERITIES)[number];
  readonly detail: string;
  /** The fields that it is about, as `object.field` of the package. */
  readonly fields?: readonly string[];
}

/** Where an app stands that was published once. */
export const APP_STATUSES = ['published', 'suspended', 'revoked'] as const;
export type AppStatus = (typeof APP_STATUSES)[number];

/** A sandbox has objects of its own, and no standard objects: what it is granted of these is the workspace's. */
export function sandboxNotices(scopes: readonly string[]): AppNotice[] {
  const granted = Object.values(CORE_OBJECTS).filter(({ scope }) => scopeAllows(scopes, scope, 'read'));
  const nouns = [...new Set(granted.map(({ scope }) => SCOPE_CATALOGUE[scope].label.en.toLowerCase()))];
  if (nouns.length === 0) return [];
  const all = new Intl.ListFormat('en-US').format(nouns);
  const detail = `The sandbox works with your real ${all}. Only the app's own objects are separate`;
  return [{ code: 'SANDBOX_REAL_DATA', severity: 'warning', detail }];
}
