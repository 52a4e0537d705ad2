const COLUMNS = `v.id, v.app_key AS "appKey", v.tenant_id AS "tenantId", v.version, v.name, v.kind, v.status,
    v.submitted_at AS "submittedAt", v.claimed_by AS "claimedBy", v.verdict, v.certification,
    a.publisher_name AS "publisherName"`;
const SUBMISSIONS = `SELECT ${COLUMNS} FROM app_version v JOIN app a ON a.key = v.app_key`;

/** $1: status, or null for all; $2: limit. */
export const LIST_OLDEST_SUBMISSIONS = `
  ${SUBMISSIONS} WHERE $1::text IS NULL OR v.status = $1 ORDER BY v.submitted_at ASC, v.id ASC LIMIT $2`;

/** $1: status, or null for all; $2: limit. */
export const LIST_NEWEST_SUBMISSIONS = `
  ${SUBMISSIONS} WHERE $1::text IS NULL OR v.status = $1 ORDER BY v.submitted_at DESC, v.id DESC LIMIT $2`;

/** $1: id of the submission. */
export const FIND_REVIEWED_SUBMISSION = `${SUBMISSIONS} WHERE v.id = $1`;

/** Holds the version, not its app, until the transaction ends. $1: id of the submission. */
export const LOCK_REVIEWED_SUBMISSION = `${SUBMISSIONS} WHERE v.id = $1 FOR UPDATE OF v`;
