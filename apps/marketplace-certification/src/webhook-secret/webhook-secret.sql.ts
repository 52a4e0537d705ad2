/** Keeps the secret that is there already when two are first at once. $1: key of the app, $2: the sealed secret. */
export const ADD_WEBHOOK_SECRET = `
  INSERT INTO app_webhook_secret (app_key, sealed) VALUES ($1, $2) ON CONFLICT (app_key) DO NOTHING`;

/** $1: key of the app, $2: the sealed secret. */
export const REPLACE_WEBHOOK_SECRET = `
  INSERT INTO app_webhook_secret (app_key, sealed) VALUES ($1, $2)
  ON CONFLICT (app_key) DO UPDATE SET sealed = excluded.sealed, rotated_at = now()`;
