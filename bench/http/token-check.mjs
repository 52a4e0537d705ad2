// The check of a token that was seen before, which is what nearly every request brings.
import { KeySource, RevocationSource, TokenVerifier } from '@crm/access';
import { ACCESS_TOKEN_TYPE, AUDIENCES } from '@crm/contracts';
import { newId } from '@crm/database';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { median } from '../measure.mjs';

const ISSUER = 'http://127.0.0.1:8080';
const BATCHES = 41;
const CHECKS = 500;
/** As many as a busy process has in use. */
const TOKENS = 100;

class OneKey extends KeySource {
  /** @param {import('jose').JWK} jwk */
  constructor(jwk) {
    super();
    this.jwk = jwk;
  }

  async getKeys() {
    return { keys: [this.jwk] };
  }
}

class NothingRevoked extends RevocationSource {
  ready = true;

  isRevoked() {
    return false;
  }
}

export async function measure() {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const sign = () =>
    new SignJWT({ tid: newId(), roles: ['admin'], scopes: [], sid: newId() })
      .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: 'bench' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCES.api)
      .setSubject(newId())
      .setJti(newId())
      .setIssuedAt()
      .setExpirationTime('15m')
      .sign(privateKey);
  const tokens = await Promise.all(Array.from({ length: TOKENS }, sign));
  const verifier = new TokenVerifier({
    issuer: ISSUER,
    keySource: new OneKey({ ...(await exportJWK(publicKey)), kid: 'bench' }),
    revocations: new NothingRevoked(),
  });
  const times = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    // A header's text is a new one with every request, so it is here.
    const headers = Array.from({ length: CHECKS }, (_, index) => Buffer.from(`${tokens[index % TOKENS]}`));
    const begun = process.cpuUsage();
    for (const header of headers) await verifier.verify(header.toString('latin1'), [AUDIENCES.api]);
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / CHECKS);
  }
  return [{ name: 'check of a token that was seen before', unit: 'µs', ours: median(times), atMost: 15 }];
}
