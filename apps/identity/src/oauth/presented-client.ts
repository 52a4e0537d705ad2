import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';

/** How a client says who it is. A public client, which is an app that acts for users, has no secret. */
export interface PresentedClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/**
 * The client of a call to the token endpoint and its neighbours, not yet checked: by HTTP Basic (`client_secret_basic`), in the
 * body (`client_secret_post`), or by its id alone (`none`).
 * @param header `Authorization`
 * @throws OAuthError invalid_client, invalid_request when two ways are used at once
 */
export function presentedClient(header: string | undefined, parameters: Parameters): PresentedClient {
  const inBody = { clientId: parameters.find('client_id'), clientSecret: parameters.find('client_secret') };
  if (header === undefined) {
    if (inBody.clientId === undefined) throw new OAuthError('invalid_client', 'The client is not named');
    return { clientId: inBody.clientId, clientSecret: inBody.clientSecret ?? null };
  }
  const basic = parseBasic(header);
  if (!basic) throw new OAuthError('invalid_client', 'Clients authenticate with HTTP Basic or in the body');
  if (inBody.clientSecret !== undefined) {
    throw new OAuthError('invalid_request', 'The client authenticates in the header and in the body');
  }
  if (inBody.clientId !== undefined && inBody.clientId !== basic.clientId) {
    throw new OAuthError('invalid_request', 'The header and the body name different clients');
  }
  return basic;
}

/** RFC 6749, section 2.3.1: both parts are encoded as in a form before they are joined. */
function parseBasic(header: string): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  const parts = colon < 0 ? undefined : [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))];
  const [clientId, clientSecret] = parts ?? [];
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/** Undefined for what is not printable ASCII, which no id and no secret has. */
function decodeForm(text: string): string | undefined {
  const decoded = new URLSearchParams(`part=${text.replaceAll('&', '%26')}`).get('part') ?? '';
  return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
}
