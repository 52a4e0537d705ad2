/**
 * $1: id, $2: operator, $3: role, $4: act, $5: kind of subject, $6: its id, $7: its name, $8: reason,
 * $9: findings, $10: state before, $11: state after, as JSON. All but act and subject may be null.
 */
export const ADD_OPERATOR_ACT = `
  INSERT INTO operator_audit
    (id, operator_id, role, act, subject_kind, subject_id, subject_name, reason, findings, state_before, state_after)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11::jsonb)`;

/** Counted as far as a limit. $1: operator, $2: act, $3: entries after this id, $4: limit. */
export const COUNT_OPERATOR_ACTS = `
  SELECT count(*)::int AS counted
    FROM (SELECT 1 FROM operator_audit WHERE operator_id = $1 AND act = $2 AND id > $3 LIMIT $4) AS recent`;

/**
 * Newest first; null does not restrict. $1: operator, $2: act, $3: kind and $4: id of the subject, $5: lower-case text,
 * $6: lowest id, $7: id above the highest, $8: limit.
 */
export const LIST_OPERATOR_ACTS = `
  SELECT id, operator_id AS "operatorId", role, act, subject_kind AS "subjectKind", subject_id AS "subjectId",
    subject_name AS "subjectName", reason, findings, state_before AS "before", state_after AS "after"
  FROM operator_audit
  WHERE ($1::uuid IS NULL OR operator_id = $1)
    AND ($2::text IS NULL OR act = $2)
    AND ($3::text IS NULL OR subject_kind = $3)
    AND ($4::text IS NULL OR subject_id = $4)
    AND ($5::text IS NULL OR strpos(lower(coalesce(reason, '') || ' ' || coalesce(subject_name, '')), $5) > 0)
    AND ($6::uuid IS NULL OR id >= $6)
    AND ($7::uuid IS NULL OR id < $7)
  ORDER BY id DESC LIMIT $8`;
