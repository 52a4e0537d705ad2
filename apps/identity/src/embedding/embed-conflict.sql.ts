/** The windows of apps that had conflicts, the latest first. $1: conflicts per window, $2: at most so many. */
export const LIST_EMBED_CONFLICTS = `
  SELECT substr(name, length('embed-conflict:') + 1) AS "appKey", tenant_id AS "tenantId",
    LEAST(used, $1) AS conflicts, used >= $1 AND resets_at > now() AS throttled, resets_at AS "resetsAt"
  FROM quota_use WHERE starts_with(name, 'embed-conflict:') ORDER BY resets_at DESC LIMIT $2`;
