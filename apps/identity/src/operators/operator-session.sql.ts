/** $1: hash of the refresh token presented, $2: hash of its successor, $3: seconds that the successor is valid. */
export const ROTATE_OPERATOR_SESSION = `
  UPDATE operator_session SET refresh_hash = $2, previous_hash = $1, expires_at = now() + make_interval(secs => $3)
   WHERE refresh_hash = $1 AND expires_at > now() RETURNING id AS "sessionId", operator_id AS "operatorId"`;
