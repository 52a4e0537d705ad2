/** $1: key of the app, $2: 1 or -1. An app that was never installed has no row. */
export const COUNT_INSTALL = `
  INSERT INTO install_count AS counted (app_key, installs) VALUES ($1, greatest($2::bigint, 0))
  ON CONFLICT (app_key) DO UPDATE SET installs = counted.installs + $2`;
