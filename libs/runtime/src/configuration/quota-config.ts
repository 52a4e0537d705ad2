import { PLANS, type Plan } from '@crm/contracts';
import type { EnvironmentReader } from './environment.js';
import type { Profile } from './service-config.js';

export type QuotaByPlan = Readonly<Record<Plan, number>>;

/** Outside production no quota gets in the way of demos, tests and measurements. */
const HARDLY_LIMITED: QuotaByPlan = { developer: 1_000_000, business: 1_000_000, enterprise: 1_000_000 };
const MOST = 1_000_000_000;

/**
 * Reads how often a tenant may do something, by plan, as `developer=20,business=500`; plans that are not named keep the
 * default.
 * @param defaults of the production profile
 */
export function quotaByPlan(
  env: EnvironmentReader,
  name: string,
  { profile, defaults }: { profile: Profile; defaults: QuotaByPlan },
): QuotaByPlan {
  const given = env.integersByName(name, { default: {}, min: 0, max: MOST });
  const unknown = Object.keys(given).filter((plan) => !(PLANS as readonly string[]).includes(plan));
  if (unknown.length > 0) env.problem(`${name} names no plan: ${unknown.join(', ')}; plans are ${PLANS.join(', ')}`);
  return { ...(profile === 'production' ? defaults : HARDLY_LIMITED), ...given };
}
