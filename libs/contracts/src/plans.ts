/** Plans of a tenant. */
export const PLANS = ['developer', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Custom objects a tenant may have: Business 3 and Enterprise 10 are the product's published limits, a developer workspace gets 10. */
export const CUSTOM_OBJECT_LIMITS: Readonly<Record<Plan, number>> = { developer: 10, business: 3, enterprise: 10 };

/** What operators may change for one workspace. */
export const STORAGE_KINDS = ['records', 'bytes', 'users'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** What a workspace may store; the arithmetic is in docs/deployment/capacity.md. */
export type StorageLimits = Readonly<Record<StorageKind, number>>;

const GB = 1_000_000_000;

export const STORAGE_LIMITS: Readonly<Record<Plan, StorageLimits>> = {
  developer: { records: 50_000, bytes: GB, users: 50 },
  business: { records: 1_000_000, bytes: 20 * GB, users: 500 },
  enterprise: { records: 20_000_000, bytes: 500 * GB, users: 10_000 },
};

/** Share of a limit from which on the administrators of a workspace are told. */
export const STORAGE_TOLD_FROM = 0.8;
