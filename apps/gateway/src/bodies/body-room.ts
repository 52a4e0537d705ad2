/** Where bodies count: those of tenants; those of addresses without a token, with a room each for credentials and for hooks. */
export const BODY_ROOMS = ['tenant', 'address', 'credentials', 'hook'] as const;
export type BodyRoom = (typeof BODY_ROOMS)[number];
