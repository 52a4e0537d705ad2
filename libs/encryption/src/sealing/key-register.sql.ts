/** A key that is registered stays as it is. $1: id, $2: its check box. */
export const REGISTER_KEY = `
  INSERT INTO encryption_key (id, check_box) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`;

export const LIST_KEYS = `
  SELECT id, check_box AS "checkBox", registered_at AS "registeredAt" FROM encryption_key ORDER BY registered_at, id`;

/** $1: ids. */
export const FORGET_KEYS = `DELETE FROM encryption_key WHERE id = ANY ($1::text[]) RETURNING id`;
