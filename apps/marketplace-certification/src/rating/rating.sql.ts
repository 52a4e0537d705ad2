/** Writes or replaces the rating of a user. $1: key of the app, $2: tenant, $3: user, $4: stars, $5: text or null. */
export const SAVE_RATING = `
  INSERT INTO rating (app_key, tenant_id, user_id, stars, text) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (app_key, tenant_id, user_id)
    DO UPDATE SET stars = excluded.stars, text = excluded.text, updated_at = now()
  RETURNING stars, text, updated_at AS "updatedAt"`;

/** $1: key of the app, $2: ratings that are new, $3: stars to add. */
export const COUNT_RATING = `
  UPDATE app SET rating_count = rating_count + $2, rating_total = rating_total + $3 WHERE key = $1`;
