/**
 * Has the statements that follow in the transaction planned for their values, where the service's connections have generic
 * plans (`genericPlans`): lists with optional filters, of which one index serves some and another one the others.
 */
export const PLAN_FOR_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)";
