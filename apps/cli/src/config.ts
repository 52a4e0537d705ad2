/** What the environment says to the command. */
export interface CliConfig {
  /** `NO_COLOR` (no-color.org) refuses colours, `FORCE_COLOR` asks for them where there is no terminal. */
  colours: 'never' | 'always' | 'auto';
  /** `CRM_BASE_URL`, the platform's address for `--remote`. */
  baseUrl: string | undefined;
  /** `CRM_TOKEN`, so that the token need not stand among the arguments, which every process of the machine can see. */
  token: string | undefined;
}

/** Reads the environment; what is set to an empty text counts as not set. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): CliConfig {
  const { NO_COLOR, FORCE_COLOR, CRM_BASE_URL, CRM_TOKEN } = environment;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  return {
    colours: NO_COLOR || FORCE_COLOR === '0' ? 'never' : forced ? 'always' : 'auto',
    baseUrl: CRM_BASE_URL || undefined,
    token: CRM_TOKEN || undefined,
  };
}
