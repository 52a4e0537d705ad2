import { type AccessTokenClaims, AUDIENCES, isUuid } from '@crm/contracts';
import type { JWTPayload } from 'jose';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const KNOWN_AUDIENCES: readonly unknown[] = Object.values(AUDIENCES);

/**
 * The claims of a token whose signature, issuer and times are verified, or undefined if they do not have the shape that
 * the platform issues. A claim of a wrong type never reaches a decision.
 */
export function readClaims(payload: JWTPayload): AccessTokenClaims | undefined {
  const claims = payload as unknown as AccessTokenClaims;
  const wellFormed =
    KNOWN_AUDIENCES.includes(claims.aud) &&
    isText(claims.sub) &&
    (claims.aud === AUDIENCES.admin ? claims.tid === undefined : isLowerCaseUuid(claims.tid)) &&
    (claims.linked_tid === undefined || (claims.aud === AUDIENCES.admin && isLowerCaseUuid(claims.linked_tid))) &&
    isTextList(claims.roles) &&
    isTextList(claims.scopes) &&
    isOptionalText(claims.sid) &&
    typeof claims.iat === 'number' &&
    typeof claims.exp === 'number' &&
    isText(claims.jti) &&
    UUID_V7.test(claims.jti) &&
    (claims.embed === undefined
      ? claims.embed_app_id === undefined
      : claims.embed === true && isText(claims.embed_app_id)) &&
    (claims.api_key === undefined || isOfApiKey(claims)) &&
    (claims.service_account === undefined || (claims.service_account === true && claims.api_key === true)) &&
    (claims.act === undefined ||
      (typeof claims.act === 'object' &&
        claims.act !== null &&
        isText(claims.act.sub) &&
        isOptionalText(claims.act.installation_id)));
  return wellFormed ? claims : undefined;
}

/** Unix time in milliseconds at which a UUIDv7 was made: its first 48 bits (RFC 9562, section 5.7). */
export function uuidTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** A key always narrows: without scopes it would reach what its owner reaches. */
const isOfApiKey = ({ api_key, aud, sid, scopes, embed, act }: AccessTokenClaims): boolean =>
  api_key === true &&
  aud === AUDIENCES.api &&
  isText(sid) &&
  isTextList(scopes) &&
  scopes.length > 0 &&
  embed === undefined &&
  act === undefined;

/** One spelling per tenant, because cut-offs and caches compare the id as text. */
const isLowerCaseUuid = (value: unknown): boolean => isUuid(value) && value === value.toLowerCase();
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
