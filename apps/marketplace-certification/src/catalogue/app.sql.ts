/** Takes a key unless it is taken. $1: key, $2: publisher, $3: its name, $4: name of the app, $5: kind. */
export const CLAIM_APP_KEY = `
  INSERT INTO app (key, tenant_id, publisher_name, name, kind) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (key) DO NOTHING`;
