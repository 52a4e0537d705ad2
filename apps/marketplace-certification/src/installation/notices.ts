import { type AppNotice, type AppStatus, sandboxNotices } from '@crm/contracts';
import { exposedFields, type Manifest } from '@crm/manifest';
import type { BroughtRole } from '../catalogue/catalogue.repository.js';

/** What a package opens to people who cannot read it. */
export function exposureNotices(manifest: Manifest): AppNotice[] {
  const fields = exposedFields(manifest);
  if (fields.length === 0) return [];
  const detail = "The app's formulas show values computed from these fields to people who can't read the fields";
  return [{ code: 'EXPOSED_FIELDS', severity: 'warning', detail, fields }];
}

/** The roles of a package that another app of the workspace brings as well. */
export function roleNotices({ key, roles = [] }: Manifest, others: readonly BroughtRole[]): AppNotice[] {
  return roles.flatMap(({ name }): AppNotice[] => {
    const sharing = others.filter((role) => role.name === name && role.appKey !== key).map(({ appKey }) => appKey);
    if (sharing.length === 0) return [];
    const detail = `The role ${name} is shared with ${sharing.sort().join(', ')}: people who have it have it for both`;
    return [{ code: 'ROLE_SHARED', severity: 'warning', detail }];
  });
}

/** What an administrator is told before the app is installed. A sandbox says first what it works with. */
export const consentNotices = (
  manifest: Manifest,
  { sandbox, grantedScopes }: { readonly sandbox: boolean; readonly grantedScopes: readonly string[] },
  others: readonly BroughtRole[],
): AppNotice[] => [
  ...(sandbox ? sandboxNotices(grantedScopes) : []),
  ...exposureNotices(manifest),
  ...roleNotices(manifest, others),
];

/** Where an app and its publisher stand. */
export interface Standing {
  readonly status: AppStatus | null;
  readonly isPublisherSuspended: boolean;
}

export const NO_STANDING: Standing = { status: null, isPublisherSuspended: false };

const BY_STATUS: Readonly<Partial<Record<AppStatus, AppNotice>>> = {
  suspended: {
    code: 'APP_SUSPENDED',
    severity: 'warning',
    detail: "The platform's operators have suspended the app. It keeps working here but can't be installed again",
  },
  revoked: {
    code: 'APP_REVOKED',
    severity: 'critical',
    detail: "The platform's operators have revoked the app. It no longer works; its records stay readable",
  },
};

/** What becomes of an app later, in the listing and for what is installed. */
export function standingNotices({ status, isPublisherSuspended }: Standing): AppNotice[] {
  const ofApp = status === null ? undefined : BY_STATUS[status];
  const detail = "The publisher's workspace is suspended. The app can't be installed again";
  return [
    ...(ofApp ? [ofApp] : []),
    ...(isPublisherSuspended ? [{ code: 'PUBLISHER_SUSPENDED', severity: 'warning', detail } as const] : []),
  ];
}
