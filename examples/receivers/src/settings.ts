/** What a receiver needs to know, from the environment. */
export interface Settings {
  /** All that are live, separated by spaces: during a rotation the new and the previous secret. */
  readonly secrets: readonly string[];
  readonly port: number;
}

/** @throws Error when `WEBHOOK_SECRETS` is not set */
export function readSettings(): Settings {
  const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
  if (secrets.length === 0) throw new Error('Set WEBHOOK_SECRETS to the signing secret of the subscription: whsec_…');
  return { secrets, port: Number(process.env.PORT ?? 3000) };
}
