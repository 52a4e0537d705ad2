import type { HeaderDescription } from '@crm/http';

/** Of requests and of answers, as Node spells it. */
export const DEVICE_TOKEN_HEADER = 'x-device-token';

/** For `@Describe` of a route that reads it. */
export const DEVICE_TOKEN_DESCRIPTION: HeaderDescription = {
  name: 'X-Device-Token',
  description:
    'What an earlier sign-in on this device was answered with in the header of the same name. Guesses of others at the account do not slow down a device that presents it. It proves nothing else.',
};

/** What is used of Fastify's reply. */
export interface HeaderReply {
  header(name: string, value: string): unknown;
}

/** Adds the token of a completed sign-in to its answer. */
export function giveDeviceToken(reply: HeaderReply, token: string | undefined): void {
  if (token !== undefined) reply.header(DEVICE_TOKEN_HEADER, token);
}
