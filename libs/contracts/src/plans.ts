/** Plans of a tenant. */
export const PLANS = ['developer', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Custom objects a tenant may have: Business 3 and Enterprise 10 are the product's published limits, a developer workspace gets 10. */
export const CUSTOM_OBJECT_LIMITS: Readonly<Record<Plan, number>> = { developer: 10, business: 3, enterprise: 10 };
