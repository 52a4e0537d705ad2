/** An app with its publisher and the versions that count. $1: key. */
export const FIND_DECIDED_APP = `
  SELECT a.key AS "appKey", a.name, a.tenant_id AS "tenantId", a.publisher_name AS "publisherName", a.visibility,
    a.unlisted_by_operator AS "unlistedByOperator",
    p.id AS "publishedId", p.version AS "publishedVersion", s.id AS "suspendedId", s.version AS "suspendedVersion",
    EXISTS (SELECT 1 FROM app_version r WHERE r.app_key = a.key AND r.status = 'revoked') AS revoked
  FROM app a
    LEFT JOIN app_version p ON p.app_key = a.key AND p.status = 'published'
    LEFT JOIN LATERAL (
      SELECT v.id, v.version FROM app_version v WHERE v.app_key = a.key AND v.status = 'suspended'
       ORDER BY v.published_at DESC, v.id DESC LIMIT 1) AS s ON true
  WHERE a.key = $1`;

/** Over all tenants, what has not ended. $1: key of the app. */
export const COUNT_APP_INSTALLATIONS = `
  SELECT count(*) FILTER (WHERE NOT sandbox)::int AS installations,
    count(DISTINCT tenant_id) FILTER (WHERE NOT sandbox)::int AS tenants,
    count(*) FILTER (WHERE sandbox)::int AS sandboxes
  FROM installation
  WHERE app_key = $1 AND state IN ('installing', 'active', 'compensating', 'uninstalling')`;
