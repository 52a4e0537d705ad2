/** Settings from the environment. */
export interface CliConfig {
  /** `NO_COLOR` (no-color.org) disables colours, `FORCE_COLOR` enables them without a terminal. */
  colours: 'never' | 'always' | 'auto';
  /** `CRM_BASE_URL`, the platform's address for `--remote`. */
  baseUrl: string | undefined;
  /** `CRM_TOKEN`, which keeps the token out of the arguments that every process on the machine can see. */
  token: string | undefined;
  /** `CRM_REFRESH_TOKEN`, for commands that run longer than an access token is valid. Each works once. */
  refreshToken: string | undefined;
}

/** Reads the environment; an empty value counts as not set. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): CliConfig {
  const { NO_COLOR, FORCE_COLOR, CRM_BASE_URL, CRM_TOKEN, CRM_REFRESH_TOKEN } = environment;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  return {
    colours: NO_COLOR || FORCE_COLOR === '0' ? 'never' : forced ? 'always' : 'auto',
    baseUrl: CRM_BASE_URL || undefined,
    token: CRM_TOKEN || undefined,
    refreshToken: CRM_REFRESH_TOKEN || undefined,
  };
}
