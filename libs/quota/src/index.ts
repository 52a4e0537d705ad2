export { assertQuotaLeft, DAY_SECONDS, HOUR_SECONDS, type QuotaRule, quotaRefusal, takeQuota } from './quota.js';
export { createQuotaTable } from './quota.table.js';
