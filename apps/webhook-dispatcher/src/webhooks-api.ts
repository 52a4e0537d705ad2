/** The group of all routes of this service in the OpenAPI document. */
export const WEBHOOKS_GROUP = {
  name: 'Webhooks',
  description: 'Webhook subscriptions and their deliveries.',
};

/** Webhooks are for administrators; an embedded page never sees them, and a key with the scope is for nothing else. */
export const ADMINISTER_WEBHOOKS = {
  right: 'administer',
  scope: 'webhooks',
  embed: false,
  key: true,
  proof: false,
} as const;
/** Receivers and their secrets outlive the token that set them. */
export const CHANGE_RECEIVERS = { ...ADMINISTER_WEBHOOKS, proof: true } as const;
