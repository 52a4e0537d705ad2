/**
 * Where hooks of workflows are called, below the base URL; the id of the workflow and the secret follow. The gateway, the
 * service behind it and whatever hides the secret from logs have to agree on it. It is a part of regular expressions, so it
 * has nothing but letters and slashes.
 */
export const HOOK_PATH = '/api/crm/automations/hooks';
