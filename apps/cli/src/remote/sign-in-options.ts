import type { CliConfig } from '../config.js';
import { UsageError } from '../usage-error.js';
import { baseUrlOf } from './base-url.js';
import { Platform } from './platform.js';

/** The options of every command that calls the API as a developer. */
export const SIGN_IN_OPTIONS = {
  'base-url': { type: 'string' },
  token: { type: 'string' },
} as const;

/** Their part of a command's usage. */
export const SIGN_IN_USAGE = `  --base-url <url>        the platform's address (or CRM_BASE_URL)
  --token <token>         an access token of the workspace that publishes the app (or CRM_TOKEN)`;

/**
 * The platform of these options and the environment.
 * @throws UsageError when the address or the token is missing or cannot be used
 */
export function platformOf(
  values: { readonly 'base-url'?: string | undefined; readonly token?: string | undefined },
  config: CliConfig,
  usage: string,
): Platform {
  const baseUrl = values['base-url'] ?? config.baseUrl;
  const token = values.token ?? config.token;
  const { refreshToken } = config;
  if (baseUrl === undefined || (token === undefined && refreshToken === undefined)) {
    throw new UsageError(
      'Give --base-url and --token, or CRM_BASE_URL and CRM_TOKEN or CRM_REFRESH_TOKEN in the environment.',
      usage,
    );
  }
  return new Platform(baseUrlOf(baseUrl, usage), { token, refreshToken });
}
