/** All subscriptions of a tenant. $1: the tenant. */
export const LIST_RECEIVERS = `
  SELECT id AS "subscriptionId", app_key AS "appKey", installation_id AS "installationId", url, events, filter, enabled,
         rate_limit AS "rateLimit", failing_since AS "failingSince", failed_at AS "failedAt", failing_hours AS "failingHours",
         created_at AS "createdAt", secret, previous_secret AS "previousSecret",
         previous_secret_until AS "previousSecretUntil", headers AS "sealedHeaders"
    FROM webhook_subscription WHERE tenant_id = $1 ORDER BY id`;
