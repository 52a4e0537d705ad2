/** $1: key of the app. */
export const FIND_APP_SECRET = `
  SELECT secret, previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil"
    FROM app_secret WHERE app_key = $1`;
